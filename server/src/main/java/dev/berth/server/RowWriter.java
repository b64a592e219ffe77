package dev.berth.server;

import dev.berth.http.ResponseBody;
import dev.berth.http.StreamOutput;
import dev.berth.json.WireJson;
import dev.berth.port.StoreFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes a JSON list part by part. */
record RowWriter(StreamOutput out) {

    private static final Logger log = LoggerFactory.getLogger(RowWriter.class);

    private static final byte[] END = "]\n".getBytes(StandardCharsets.UTF_8);

    /**
     * The status is already sent: if a list cannot be read to its end, the connection is closed in
     * the middle of it.
     */
    void write(List<?> first, ResponseBody.RowReader rest)
            throws IOException, InterruptedException {
        char separator = '[';
        try {
            for (var part = first; !part.isEmpty(); part = rest.next()) {
                out.send(json(part, separator));
                separator = ',';
            }
        } catch (StoreFailure failure) {
            log.warn("a list could not be sent to its end: {}", failure.getMessage());
            throw new IOException("cannot be read to its end: " + failure.getMessage(), failure);
        }
        if (separator == '[') {
            out.send(new byte[] {'['});
        }
        out.send(END);
    }

    private static byte[] json(List<?> rows, char separator) throws IOException {
        var bytes = new ByteArrayOutputStream();
        char before = separator;
        for (var row : rows) {
            bytes.write(before);
            bytes.write(WireJson.write(row));
            before = ',';
        }
        return bytes.toByteArray();
    }
}
