package dev.berth.server.message;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sends one body and reads one answer. The JDK's client would look the host up once more, and so
 * might come to another address than the one that was looked at.
 */
final class HttpPost {

    private static final int MOST_HEADERS = 200;
    private static final int MOST_BODY = 64 << 10;

    /** Until an answer ends in itself. */
    private static final int NO_BODY = 204;

    private HttpPost() {}

    record Answer(int status, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    static Answer send(URI url, byte[] json, Connection.Means means) throws Undelivered {
        boolean isSecure = url.getScheme().equals("https");
        int port = url.getPort() >= 0 ? url.getPort() : isSecure ? 443 : 80;
        var host = url.getHost().replaceAll("^\\[|]$", "");
        try (var connection = Connection.open(host, port, means, means.patience().answer())) {
            try {
                if (isSecure) {
                    connection.secure();
                }
                connection.out().write(request(url, json));
                connection.out().flush();
                return answer(new BufferedInputStream(connection.in()));
            } catch (IOException e) {
                throw connection.failed(e);
            }
        }
    }

    private static byte[] request(URI url, byte[] json) {
        var path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        var query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        var port = url.getPort() >= 0 ? ":" + url.getPort() : "";
        var head =
                String.join(
                        "\r\n",
                        "POST " + path + query + " HTTP/1.1",
                        "Host: " + url.getHost() + port,
                        "User-Agent: berth",
                        "Accept: */*",
                        "Content-Type: application/json; charset=utf-8",
                        "Content-Length: " + json.length,
                        "Connection: close",
                        "",
                        "");
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(json);
        return bytes.toByteArray();
    }

    private static Answer answer(InputStream in) throws IOException {
        while (true) {
            var first = AnswerLine.read(in);
            if (!first.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
                throw new IOException("what came is no HTTP answer");
            }
            int status = Integer.parseInt(first.substring(9, 12));
            var headers = headers(in);
            if (status >= 200) {
                return new Answer(status, status == NO_BODY ? new byte[0] : body(in, headers));
            }
        }
    }

    private static Map<String, String> headers(InputStream in) throws IOException {
        var headers = new TreeMap<String, String>();
        for (int i = 0; i < MOST_HEADERS; i++) {
            var line = AnswerLine.read(in);
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        throw new IOException("the answer has too many headers");
    }

    private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
        if (headers.getOrDefault("transfer-encoding", "")
                .toLowerCase(Locale.ROOT)
                .contains("chunked")) {
            return chunks(in);
        }
        var length = headers.getOrDefault("content-length", "");
        int most = length.matches("[0-9]{1,9}") ? Integer.parseInt(length) : MOST_BODY;
        return in.readNBytes(Math.min(most, MOST_BODY));
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var body = new ByteArrayOutputStream();
        while (body.size() < MOST_BODY) {
            var size = AnswerLine.read(in).replaceFirst(";.*", "").strip();
            if (!size.matches("[0-9a-fA-F]{1,7}")) {
                throw new IOException("the answer is cut in a way that HTTP does not know");
            }
            int bytes = Integer.parseInt(size, 16);
            if (bytes == 0) {
                break;
            }
            body.writeBytes(in.readNBytes(Math.min(bytes, MOST_BODY)));
            AnswerLine.read(in);
        }
        return body.toByteArray();
    }
}
