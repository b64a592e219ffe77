package dev.berth.http;

import java.io.IOException;

/** The body of a response. */
public sealed interface ResponseBody {

    /**
     * @param body a wire record, a list of them, or a map of such
     */
    record Json(Object body) implements ResponseBody {}

    record Bytes(String type, byte[] bytes) implements ResponseBody {
        @Override
        public String toString() {
            return bytes.length + " bytes of " + type;
        }
    }

    record Empty() implements ResponseBody {}

    /** Server-sent events, until either side closes the connection. */
    record Stream(StreamWriter writer) implements ResponseBody {}

    /** Writes a stream, and returns when it has ended. */
    @FunctionalInterface
    interface StreamWriter {
        void writeTo(StreamOutput outlet) throws IOException, InterruptedException;
    }
}
