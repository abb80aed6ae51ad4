// Functions for the parts of libwebsockets, OpenSSL and the kernel that exist only as macros, which Swift cannot see.
// They contain no logic.
#ifndef WEIR_LIBWEBSOCKETS_SHIM_H
#define WEIR_LIBWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static inline void weir_tls_prepare(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

static inline int weir_tls_use_key(SSL_CTX *context, const char *path) {
    return SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM);
}

static inline const char *weir_tls_server_name(const SSL *connection) {
    return SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
}

static inline void weir_tls_send_no_server_name(SSL *connection) { SSL_set_tlsext_host_name(connection, NULL); }

// C sees `struct ucred` only with _GNU_SOURCE. Its three words are the process, the user and the group.
static inline long weir_peer_user(int descriptor) {
    unsigned credentials[3] = {0, 0, 0};
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &size) != 0 || size != sizeof credentials) return -1;
    return (long)credentials[1];
}

#endif
