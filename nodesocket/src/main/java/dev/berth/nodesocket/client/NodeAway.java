package dev.berth.nodesocket.client;

import java.io.IOException;

/** The node does not answer; the message tells why. */
public final class NodeAway extends IOException {
    private static final long serialVersionUID = 1;

    NodeAway(String why) {
        super(why);
    }
}
