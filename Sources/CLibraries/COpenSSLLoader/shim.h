#pragma once

// OpenSSL is loaded when a TLS connection is first opened, and not linked: a till may start kioskctl for each receipt,
// and loading OpenSSL costs as much as all else that it does. Its headers alone are used.

#include <dlfcn.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stddef.h>

/// The functions of the library that are used, each under its own name.
#define COPENSSL_FUNCTIONS(each) \
    each(TLS_client_method) each(SSL_CTX_new) each(SSL_CTX_free) each(SSL_CTX_ctrl) each(SSL_CTX_set_options) \
    each(SSL_CTX_set_default_verify_paths) each(SSL_CTX_set_alpn_protos) each(SSL_new) each(SSL_free) each(SSL_ctrl) \
    each(SSL_set_connect_state) each(SSL_set_bio) each(SSL_get0_param) each(SSL_do_handshake) each(SSL_get_error) \
    each(SSL_read_ex) each(SSL_write_ex) each(SSL_pending) each(SSL_shutdown) each(SSL_get_verify_result) \
    each(SSL_get1_peer_certificate) each(X509_free) each(X509_get_X509_PUBKEY) each(i2d_X509) each(i2d_X509_PUBKEY) \
    each(X509_verify_cert_error_string) each(X509_VERIFY_PARAM_set1_ip_asc) each(X509_VERIFY_PARAM_set1_host) \
    each(X509_VERIFY_PARAM_set_hostflags) each(BIO_new) each(BIO_s_mem) each(BIO_read) each(BIO_write) \
    each(BIO_ctrl_pending) each(EVP_sha256) each(EVP_Digest) each(ERR_get_error) each(ERR_clear_error) \
    each(ERR_reason_error_string)

struct copenssl_library {
#define COPENSSL_MEMBER(name) __typeof__(name) *name;
    COPENSSL_FUNCTIONS(COPENSSL_MEMBER)
#undef COPENSSL_MEMBER
};

/// Loads the library for good. Returns NULL, or why it cannot be used.
static inline const char *copenssl_load(struct copenssl_library *library) {
    // The TLS library brings the cryptography.
    void *handle = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return "OpenSSL 3 (the package libssl3) is not installed";
#define COPENSSL_FIND(name) \
    if ((library->name = (__typeof__(library->name))dlsym(handle, #name)) == NULL) return "OpenSSL lacks " #name;
    COPENSSL_FUNCTIONS(COPENSSL_FIND)
#undef COPENSSL_FIND
    return NULL;
}

// Macros of OpenSSL, which call SSL_CTX_ctrl and SSL_ctrl.

/// TLS 1.2 and newer; 0 on failure. Writes of one record may be partial, and from buffers that move.
static inline int copenssl_loaded_set_up(const struct copenssl_library *library, SSL_CTX *context) {
    library->SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    library->SSL_CTX_ctrl(
        context, SSL_CTRL_MODE, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY,
        NULL);
    return (int)library->SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
}

/// The server name indication (RFC 6066 §3).
static inline int copenssl_loaded_set_server_name(const struct copenssl_library *library, SSL *ssl, const char *name) {
    return (int)library->SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, (void *)name);
}
