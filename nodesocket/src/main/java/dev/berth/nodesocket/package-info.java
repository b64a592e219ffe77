/**
 * The connection between a server and a node that are two processes of one machine. A frame is a
 * length and one encoded message; the two ends check each other's user before the first frame.
 */
@NullMarked
package dev.berth.nodesocket;

import org.jspecify.annotations.NullMarked;
