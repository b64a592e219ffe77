package dev.berth.server.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.alert.AlertLevel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;

/** Mail, to a real mail server. */
class MailTest {

    private static final Instant NOW = Instant.parse("2025-11-15T08:00:00Z");
    private static final String TITLE =
            "任务失败: 训练 ResNet-50 on ImageNet, the third and hopefully last try (#7)";
    private static final Note NOTE =
            new Note(
                    TITLE,
                    List.of(new Note.Row("错误", ".exit code 1"), new Note.Row("", ".")),
                    Optional.of(new Note.Link("Show", "https://b.example.org/ui/tasks/7")),
                    "");

    /** One for all, since a certificate takes its time. */
    @TempDir private static Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var one : open) {
            one.close();
        }
    }

    private SmtpServer server(String mode, String... mechanisms) throws Exception {
        var server = SmtpServer.start(directory, mode, mechanisms);
        open.add(server);
        return server;
    }

    private static Mailbox box(int port, Mailbox.Security security, Optional<Mailbox.Login> login) {
        return new Mailbox("127.0.0.1", port, security, login, "berth@example.org");
    }

    private static Optional<Mailbox.Login> login(Mailbox.Password password) {
        return Optional.of(new Mailbox.Login("berth", password));
    }

    private static String send(Mailbox box, SSLContext tls, String... to) throws Undelivered {
        var receiver =
                new Receiver(
                        "alice",
                        Receiver.Way.mail(List.of(to)),
                        new TreeSet<>(),
                        new TreeSet<>(Receiver.USUAL),
                        AlertLevel.INFO);
        var post = new Post(Optional.of(box), Patience.USUAL, tls, InstantSource.fixed(NOW));
        return post.deliver(receiver, NOTE);
    }

    @Test
    void aMailArrivesWithItsSubjectAndItsText() throws Exception {
        var server = server("plain");
        var box = box(server.port(), Mailbox.Security.NONE, Optional.empty());
        assertThat(send(box, server.trust(), "alice@example.org", "bob@example.org"))
                .isEqualTo("the mail server took it");
        var got = server.next();
        assertThat(got.envelope().get("from").asString()).isEqualTo("berth@example.org");
        assertThat(got.envelope().get("to").toString())
                .isEqualTo("[\"alice@example.org\",\"bob@example.org\"]");
        var head = got.text().substring(0, got.text().indexOf("\r\n\r\n"));
        assertThat(head.lines())
                .contains(
                        "Date: Sat, 15 Nov 2025 08:00:00 +0000",
                        "From: Berth <berth@example.org>",
                        "To: alice@example.org,",
                        " bob@example.org",
                        "MIME-Version: 1.0",
                        "Content-Type: text/plain; charset=utf-8",
                        "Content-Transfer-Encoding: base64")
                .allMatch(line -> line.length() <= 76);
        assertThat(subject(head)).isEqualTo(TITLE);
        var body = got.text().substring(head.length()).strip();
        assertThat(new String(Base64.getMimeDecoder().decode(body), StandardCharsets.UTF_8))
                .isEqualTo(
                        TITLE
                                + "\r\n\r\n错误: .exit code 1\r\n.\r\n\r\n"
                                + "Show: https://b.example.org/ui/tasks/7\r\n");
    }

    private static String subject(String head) {
        var text = new StringBuilder();
        var words = Pattern.compile("=\\?UTF-8\\?B\\?([^?]*)\\?=").matcher(head);
        while (words.find()) {
            assertThat(words.group().length()).isLessThanOrEqualTo(75);
            text.append(
                    new String(Base64.getDecoder().decode(words.group(1)), StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "LOGIN"})
    void aLoginIsMadeOnceTheWayIsSafe(String mechanism) throws Exception {
        var server = server("starttls", mechanism);
        var file = Files.writeString(directory.resolve("password"), "päss\n");
        var box =
                box(
                        server.port(),
                        Mailbox.Security.STARTTLS,
                        login(new Mailbox.Password.InFile(file)));
        send(box, server.trust(), "alice@example.org");
        var got = server.next();
        assertThat(got.envelope().get("tls").asBoolean()).isTrue();
        assertThat(got.envelope().get("login").asString()).isEqualTo(mechanism);
    }

    @Test
    void mailGoesOverTlsFromTheBeginning() throws Exception {
        var server = server("tls");
        send(
                box(server.port(), Mailbox.Security.TLS, Optional.empty()),
                server.trust(),
                "alice@example.org");
        assertThat(server.next().envelope().get("to").toString()).contains("alice@example.org");
    }

    @Test
    void aServerThatNobodyVouchesForGetsNothing() throws Exception {
        var server = server("starttls");
        var box =
                box(
                        server.port(),
                        Mailbox.Security.STARTTLS,
                        login(new Mailbox.Password.Known("päss")));
        assertThatThrownBy(() -> send(box, SSLContext.getDefault(), "alice@example.org"))
                .isInstanceOf(Undelivered.class)
                .hasMessageStartingWith("no safe way to 127.0.0.1");
        var elsewhere =
                new Mailbox("localhost", box.port(), box.security(), box.login(), box.from());
        assertThatThrownBy(() -> send(elsewhere, server.trust(), "alice@example.org"))
                .isInstanceOf(Undelivered.class)
                .hasMessageContaining("localhost");
    }

    @Test
    void whatAMailServerRefusesIsSaid() throws Exception {
        var server = server("starttls");
        var wrong =
                box(
                        server.port(),
                        Mailbox.Security.STARTTLS,
                        login(new Mailbox.Password.Known("guess")));
        assertThatThrownBy(() -> send(wrong, server.trust(), "alice@example.org"))
                .isInstanceOf(Undelivered.class)
                .hasMessageContaining("did not take the login: 535")
                .hasMessageNotContaining("guess");
        var box =
                box(
                        server.port(),
                        Mailbox.Security.STARTTLS,
                        login(new Mailbox.Password.Known("päss")));
        assertThatThrownBy(() -> send(box, server.trust(), "nobody@example.org"))
                .isInstanceOf(Undelivered.class)
                .hasMessageContaining("550 no such user here");
        assertThat(send(box, server.trust(), "nobody@example.org", "bob@example.org"))
                .isEqualTo("the mail server took it, but not for nobody@example.org");
        assertThat(server.next().envelope().get("to").toString())
                .isEqualTo("[\"bob@example.org\"]");
    }

    @Test
    void nothingIsSentInTheOpenWhereTheWayWasToBeSafe() throws Exception {
        var server = server("plain");
        assertThatThrownBy(
                        () ->
                                send(
                                        box(
                                                server.port(),
                                                Mailbox.Security.STARTTLS,
                                                Optional.empty()),
                                        server.trust(),
                                        "alice@example.org"))
                .isInstanceOf(Undelivered.class)
                .hasMessageContaining("does not offer STARTTLS");
    }

    @Test
    void aMailServerThatSaysNothingIsGivenUp() throws Exception {
        var hurried =
                new Patience(
                        Duration.ofSeconds(5),
                        Duration.ofMillis(30),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofDays(1),
                        Duration.ofSeconds(5));
        try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var box = box(silent.getLocalPort(), Mailbox.Security.NONE, Optional.empty());
            var means = new Connection.Means(hurried, SSLContext.getDefault());
            assertThatThrownBy(() -> Smtp.send(box, List.of("a@b.org"), new byte[0], means))
                    .isInstanceOf(Undelivered.class)
                    .hasMessageContaining("did not answer");
        }
    }

    /** Its long thanks keep the reader busy until the way is cut; not always, so there are many. */
    @Test
    void aMailThatWasTakenHasArrivedHoweverTheServerHangsUp() throws Exception {
        var means = new Connection.Means(Patience.USUAL, SSLContext.getDefault());
        try (var rude = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var box = box(rude.getLocalPort(), Mailbox.Security.NONE, Optional.empty());
            for (int i = 0; i < 30; i++) {
                var talk = CompletableFuture.runAsync(() -> takeAndCut(rude));
                assertThat(Smtp.send(box, List.of("a@b.org"), bytes("x\r\n"), means)).isEmpty();
                talk.get(10, TimeUnit.SECONDS);
            }
        }
    }

    private static void takeAndCut(ServerSocket server) {
        try (var socket = server.accept()) {
            socket.setSoLinger(true, 0);
            var in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            var out = socket.getOutputStream();
            out.write(bytes("220 hello\r\n"));
            for (var answer : List.of("250 you", "250 from", "250 to", "354 go on")) {
                in.readLine();
                out.write(bytes(answer + "\r\n"));
            }
            while (!".".equals(in.readLine())) {}
            out.write(bytes(("250-" + "thanks ".repeat(70) + "\r\n").repeat(60) + "250 taken\r\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aLineOfDotsDoesNotEndTheMail() {
        assertThat(new String(Smtp.stuffed(bytes(".\r\n..x\r\na.\r\n")), StandardCharsets.US_ASCII))
                .isEqualTo("..\r\n...x\r\na.\r\n.\r\n");
        assertThat(new String(Smtp.stuffed(bytes("end")), StandardCharsets.US_ASCII))
                .isEqualTo("end\r\n.\r\n");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void noNameBecomesAHeader() {
        var evil =
                new Note("x\r\nBcc: all@example.org\r\n\r\nhello", List.of(), Optional.empty(), "");
        var mail =
                new String(
                        Mail.of(evil, "berth@example.org", List.of("a@b.org"), NOW),
                        StandardCharsets.US_ASCII);
        assertThat(mail).doesNotContain("Bcc");
        assertThat(Mail.encoded("x\r\nBcc: y")).doesNotContain("Bcc");
    }
}
