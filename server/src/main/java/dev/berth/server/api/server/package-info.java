/** Health of the server, its details and the machine it runs on. */
@NullMarked
package dev.berth.server.api.server;

import org.jspecify.annotations.NullMarked;
