package dev.berth.nodesocket.codec;

import java.io.IOException;

/** Received bytes are not a message of the protocol. */
public final class MalformedMessage extends IOException {
    private static final long serialVersionUID = 1;

    public MalformedMessage(String message) {
        super(message);
    }

    MalformedMessage(String message, Throwable cause) {
        super(message, cause);
    }
}
