// Filled by the rendering tests.
