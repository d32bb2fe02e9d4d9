#pragma once

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// OpenSSL spells much of its interface as macros, which Swift does not see. Each call here is one of them, named after it.

static inline void copenssl_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
    SSL_CTX_set_min_proto_version(context, lowest);
    SSL_CTX_set_max_proto_version(context, highest);
}

static inline uint64_t copenssl_op_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline uint64_t copenssl_op_no_compression(void) { return SSL_OP_NO_COMPRESSION; }
static inline uint64_t copenssl_op_server_preference(void) { return SSL_OP_CIPHER_SERVER_PREFERENCE; }
static inline uint64_t copenssl_op_no_ticket(void) { return SSL_OP_NO_TICKET; }

static inline void copenssl_ctx_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline void copenssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int copenssl_ctx_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline int copenssl_sk_x509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *copenssl_sk_x509_value(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void copenssl_sk_x509_pop_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline int copenssl_sk_general_name_num(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *copenssl_sk_general_name_value(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

/// RFC 2253's form, with letters beyond ASCII as UTF-8.
static inline unsigned long copenssl_name_flags(void) { return XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB; }
