package dev.berth.server.http;

import java.io.IOException;

/** What an answer carries. */
public sealed interface Content {

    /**
     * @param body a wire record, a list of them, or a map of such
     */
    record Json(Object body) implements Content {}

    /** A file, ready to be sent. */
    record Bytes(String type, byte[] bytes) implements Content {
        @Override
        public String toString() {
            return bytes.length + " bytes of " + type;
        }
    }

    record Nothing() implements Content {}

    /** Messages for as long as both sides want. */
    record Stream(Show show) implements Content {}

    /** Sends what there is to send, and returns when that is over. */
    @FunctionalInterface
    interface Show {
        void to(Outlet outlet) throws IOException, InterruptedException;
    }
}
