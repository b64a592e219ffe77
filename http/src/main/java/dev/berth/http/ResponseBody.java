package dev.berth.http;

import dev.berth.port.StoreFailure;

import java.io.IOException;
import java.util.List;

/** The body of a response. */
public sealed interface ResponseBody {

    /**
     * @param body a wire record, a list of them, or a map of such
     */
    record Json(Object body) implements ResponseBody {}

    /**
     * A JSON list that is read and sent part by part, so that a long one is never in memory as a
     * whole, and a slow client keeps nothing open in the store.
     *
     * @param first its first part, read before the response begins
     */
    record Rows(List<?> first, RowReader rest) implements ResponseBody {}

    /** Reads the next part of a list; empty at its end. */
    @FunctionalInterface
    interface RowReader {
        List<?> next() throws StoreFailure;
    }

    record Bytes(String type, byte[] bytes) implements ResponseBody {
        @Override
        public String toString() {
            return bytes.length + " bytes of " + type;
        }
    }

    /** A file that is sent part by part. */
    record Download(String type, StreamWriter writer) implements ResponseBody {}

    record Empty() implements ResponseBody {}

    /** Server-sent events, until either side closes the connection. */
    record Stream(StreamWriter writer) implements ResponseBody {}

    /** Writes a stream, and returns when it has ended. */
    @FunctionalInterface
    interface StreamWriter {
        void writeTo(StreamOutput outlet) throws IOException, InterruptedException;
    }
}
