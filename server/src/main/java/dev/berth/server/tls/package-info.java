/** TLS on the port: reading and reloading certificates, and creating a self-signed one. */
@NullMarked
package dev.berth.server.tls;

import org.jspecify.annotations.NullMarked;
