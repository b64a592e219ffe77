/**
 * The server's side of the connection: the ports of a node, carried out by a node that is another
 * process. The node may be away for a while; what was ordered and has no result yet is then asked
 * for again.
 */
@NullMarked
package dev.berth.nodesocket.client;

import org.jspecify.annotations.NullMarked;
