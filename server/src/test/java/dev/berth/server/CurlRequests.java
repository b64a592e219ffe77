package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Sends requests to the socket of a server from one process of another user.
 *
 * @param headers of each request
 */
record CurlRequests(TestServer server, int uid, List<String> headers) {

    static final int PROXY_UID = 65_534;
    static final Optional<AccessSettings.ProxyHeader> PROXY =
            Optional.of(
                    new AccessSettings.ProxyHeader("X-Remote-User", Integer.toString(PROXY_UID)));

    /** Ends each answer; no answer contains it. */
    private static final String END = "<<<end of an answer>>>";

    record Request(String method, String target, String body) {
        static Request get(String target) {
            return new Request("GET", target, "");
        }
    }

    static void requireRoot() {
        assumeTrue(
                System.getProperty("user.name").equals("root")
                        && Files.isExecutable(Path.of("/usr/bin/setpriv"))
                        && Files.isExecutable(Path.of("/usr/bin/curl")),
                "needs root, setpriv and curl");
    }

    /** The answers in the order of the requests, each with its headers. */
    List<String> send(List<Request> requests) throws IOException, InterruptedException {
        Files.setPosixFilePermissions(server.home, PosixFilePermissions.fromString("rwxr-xr-x"));
        var config = Files.createTempFile("curl-", ".conf");
        var text = new StringBuilder();
        for (var request : requests) {
            text.append(text.isEmpty() ? "" : "next\n").append(lines(request));
        }
        Files.writeString(config, text);
        try {
            var process =
                    new ProcessBuilder(
                                    "setpriv",
                                    "--reuid=" + uid,
                                    "--regid=" + uid,
                                    "--clear-groups",
                                    "curl",
                                    "-K",
                                    "-")
                            .directory(Path.of("/").toFile())
                            .redirectInput(config.toFile())
                            .start();
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            var answers = Arrays.asList(output.split(END));
            assertThat(answers).hasSize(requests.size());
            return answers;
        } finally {
            Files.delete(config);
        }
    }

    private String lines(Request request) {
        var lines = new StringBuilder();
        lines.append("silent\ninclude\n");
        lines.append("unix-socket = \"" + server.door.socket() + "\"\n");
        lines.append("request = \"" + request.method() + "\"\n");
        headers.forEach(header -> lines.append("header = \"" + header + "\"\n"));
        if (!request.body().isEmpty()) {
            lines.append("header = \"Content-Type: application/json\"\n");
            lines.append("data = \"" + request.body().replace("\"", "\\\"") + "\"\n");
        }
        lines.append("write-out = \"" + END + "\"\n");
        lines.append("url = \"http://localhost" + request.target() + "\"\n");
        return lines.toString();
    }
}
