// What a recording needs of OpenSSL: digests.
#ifndef WEIR_CRYPTO_SHIM_H
#define WEIR_CRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
