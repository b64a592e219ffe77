package dev.berth.http.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the console, plain and compressed.
 *
 * @param etag a hash of its bytes
 */
record ConsoleFile(String name, byte[] plain, byte[] gzipped, String etag) {

    private static final int ETAG_LETTERS = 16;

    private static final Map<String, String> TYPES =
            Map.ofEntries(
                    Map.entry("html", "text/html; charset=utf-8"),
                    Map.entry("js", "text/javascript; charset=utf-8"),
                    Map.entry("css", "text/css; charset=utf-8"),
                    Map.entry("json", "application/json"),
                    Map.entry("svg", "image/svg+xml"),
                    Map.entry("png", "image/png"),
                    Map.entry("ico", "image/x-icon"),
                    Map.entry("txt", "text/plain; charset=utf-8"),
                    Map.entry("webmanifest", "application/manifest+json"),
                    Map.entry("woff2", "font/woff2"));

    static ConsoleFile of(String name, byte[] bytes) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            var etag = "\"" + HexFormat.of().formatHex(hash).substring(0, ETAG_LETTERS) + "\"";
            return new ConsoleFile(name, bytes, zip(bytes), etag);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    String type() {
        return TYPES.getOrDefault(
                name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
    }

    /** The build puts a hash into these names, so the content of such a name never changes. */
    boolean isImmutable() {
        return name.matches("assets/.*-[A-Za-z0-9_-]{8,}\\.[a-z0-9]+");
    }

    boolean isCompressible() {
        return gzipped.length < plain.length;
    }

    private static byte[] zip(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(out)) {
            zip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail to be written", e);
        }
        return out.toByteArray();
    }

    @Override
    public String toString() {
        return name;
    }
}
