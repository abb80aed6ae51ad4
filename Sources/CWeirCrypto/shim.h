// The part of OpenSSL that recordings need: digests.
#ifndef WEIR_CRYPTO_SHIM_H
#define WEIR_CRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
