package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.core.AlertLevel;

import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
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

/** Mail to a real mail server. */
class SmtpSessionTest {

    private static final Instant NOW = Instant.parse("2025-11-15T08:00:00Z");
    private static final String TITLE =
            "任务失败: 训练 ResNet-50 on ImageNet, the third and hopefully last try (#7)";
    private static final Notification NOTE =
            new Notification(
                    TITLE,
                    List.of(
                            new Notification.Row("错误", ".exit code 1"),
                            new Notification.Row("", ".")),
                    Optional.of(new Notification.Link("Show", "https://b.example.org/ui/tasks/7")),
                    "");

    /** Shared by all tests, because creating a certificate is slow. */
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

    private static MailServer box(
            int port, MailServer.Encryption security, Optional<MailServer.Login> login) {
        return new MailServer("127.0.0.1", port, security, login, "berth@example.org");
    }

    private static Optional<MailServer.Login> login(MailServer.Password password) {
        return Optional.of(new MailServer.Login("berth", password));
    }

    private static String send(MailServer box, SSLContext tls, String... to)
            throws DeliveryException {
        var receiver =
                new Receiver(
                        "alice",
                        Receiver.Channel.mail(List.of(to)),
                        new TreeSet<>(),
                        new TreeSet<>(Receiver.DEFAULT_TOPICS),
                        AlertLevel.INFO);
        try (var post =
                new NotificationSender(
                        Optional.of(box),
                        new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.of(tls)),
                        InstantSource.fixed(NOW))) {
            return post.send(receiver, NOTE);
        }
    }

    private static MimeMessage mail() {
        return MailFormat.message(NOTE, "berth@example.org", List.of("a@b.org"), NOW);
    }

    @Test
    void aMailArrivesWithItsSubjectAndItsText() throws Exception {
        var server = server("plain");
        var box = box(server.port(), MailServer.Encryption.NONE, Optional.empty());
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
    void logsInAfterStartTls(String mechanism) throws Exception {
        var server = server("starttls", mechanism);
        var file = Files.writeString(directory.resolve("password"), "päss\n");
        var box =
                box(
                        server.port(),
                        MailServer.Encryption.STARTTLS,
                        login(new MailServer.Password.InFile(file)));
        send(box, server.trust(), "alice@example.org");
        var got = server.next();
        assertThat(got.envelope().get("tls").asBoolean()).isTrue();
        assertThat(got.envelope().get("login").asString()).isEqualTo(mechanism);
    }

    @Test
    void logsInWithAnAccessToken() throws Exception {
        var server = server("starttls");
        var file = directory.resolve("token");
        var login =
                new MailServer.Login(
                        "berth",
                        new MailServer.Password.InFile(file),
                        MailServer.LoginMethod.OAUTH2);
        var box = box(server.port(), MailServer.Encryption.STARTTLS, Optional.of(login));
        Files.writeString(file, "t0ken\n");
        send(box, server.trust(), "alice@example.org");
        assertThat(server.next().envelope().get("login").asString()).isEqualTo("XOAUTH2");
        Files.writeString(file, "expired\n");
        assertThatThrownBy(() -> send(box, server.trust(), "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("did not take the login: 535");
    }

    @Test
    void aServerWithoutTheConfiguredLoginGetsNothing() throws Exception {
        var server = server("starttls", "PLAIN");
        var login =
                new MailServer.Login(
                        "berth",
                        new MailServer.Password.Inline("t0ken"),
                        MailServer.LoginMethod.OAUTH2);
        assertThatThrownBy(
                        () ->
                                send(
                                        box(
                                                server.port(),
                                                MailServer.Encryption.STARTTLS,
                                                Optional.of(login)),
                                        server.trust(),
                                        "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessage("the mail server takes no login that Berth knows");
        var open = server("tls", "none");
        assertThatThrownBy(
                        () ->
                                send(
                                        box(
                                                open.port(),
                                                MailServer.Encryption.TLS,
                                                login(new MailServer.Password.Inline("päss"))),
                                        open.trust(),
                                        "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessage("the mail server takes no login that Berth knows");
    }

    @Test
    void aReplyWithoutEndIsCutOff() throws Exception {
        var means = new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.empty());
        try (var endless = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var box = box(endless.getLocalPort(), MailServer.Encryption.NONE, Optional.empty());
            var talk = CompletableFuture.supplyAsync(() -> writeWithoutEnd(endless));
            assertThatThrownBy(() -> SmtpSession.send(box, List.of("a@b.org"), mail(), means))
                    .isInstanceOf(DeliveryException.class)
                    .hasMessage("127.0.0.1 broke off: its answer has no end");
            assertThat(talk.get(3, TimeUnit.MINUTES)).contains("closed");
        }
    }

    /** Writes until the client closes the connection. */
    private static String writeWithoutEnd(ServerSocket server) {
        try (var socket = server.accept()) {
            var line = bytes("220-" + "x".repeat(8000));
            while (true) {
                socket.getOutputStream().write(line);
            }
        } catch (IOException closed) {
            return "closed: " + closed.getMessage();
        }
    }

    @Test
    void sendsOverTls() throws Exception {
        var server = server("tls");
        send(
                box(server.port(), MailServer.Encryption.TLS, Optional.empty()),
                server.trust(),
                "alice@example.org");
        assertThat(server.next().envelope().get("to").toString()).contains("alice@example.org");
    }

    @Test
    void anUntrustedServerGetsNothing() throws Exception {
        var server = server("starttls");
        var box =
                box(
                        server.port(),
                        MailServer.Encryption.STARTTLS,
                        login(new MailServer.Password.Inline("päss")));
        assertThatThrownBy(() -> send(box, SSLContext.getDefault(), "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageStartingWith("no safe way to 127.0.0.1");
        var elsewhere =
                new MailServer("localhost", box.port(), box.security(), box.login(), box.sender());
        assertThatThrownBy(() -> send(elsewhere, server.trust(), "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("localhost");
    }

    @Test
    void aRefusalOfTheMailServerIsReported() throws Exception {
        var server = server("starttls");
        var wrong =
                box(
                        server.port(),
                        MailServer.Encryption.STARTTLS,
                        login(new MailServer.Password.Inline("guess")));
        assertThatThrownBy(() -> send(wrong, server.trust(), "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("did not take the login: 535")
                .hasMessageNotContaining("guess");
        var box =
                box(
                        server.port(),
                        MailServer.Encryption.STARTTLS,
                        login(new MailServer.Password.Inline("päss")));
        assertThatThrownBy(() -> send(box, server.trust(), "nobody@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("550 no such user here");
        assertThat(send(box, server.trust(), "nobody@example.org", "bob@example.org"))
                .isEqualTo("the mail server took it, but not for nobody@example.org");
        assertThat(server.next().envelope().get("to").toString())
                .isEqualTo("[\"bob@example.org\"]");
    }

    @Test
    void nothingIsSentWithoutTheConfiguredEncryption() throws Exception {
        var server = server("plain");
        assertThatThrownBy(
                        () ->
                                send(
                                        box(
                                                server.port(),
                                                MailServer.Encryption.STARTTLS,
                                                Optional.empty()),
                                        server.trust(),
                                        "alice@example.org"))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("does not offer STARTTLS");
    }

    @Test
    void aSilentMailServerTimesOut() throws Exception {
        var hurried =
                new DeliveryTiming(
                        Duration.ofSeconds(5),
                        Duration.ofMillis(30),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofDays(1),
                        Duration.ofSeconds(5));
        try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var box = box(silent.getLocalPort(), MailServer.Encryption.NONE, Optional.empty());
            var means = new ConnectionSettings(hurried, Optional.empty());
            assertThatThrownBy(() -> SmtpSession.send(box, List.of("a@b.org"), mail(), means))
                    .isInstanceOf(DeliveryException.class)
                    .hasMessageContaining("did not answer");
        }
    }

    /**
     * The long reply keeps the reader busy until the connection is closed; not always, so there are
     * many.
     */
    @Test
    void anAcceptedMailIsDeliveredEvenIfTheConnectionBreaks() throws Exception {
        var means = new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.empty());
        try (var rude = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var box = box(rude.getLocalPort(), MailServer.Encryption.NONE, Optional.empty());
            for (int i = 0; i < 30; i++) {
                var talk = CompletableFuture.runAsync(() -> takeAndCut(rude));
                assertThat(SmtpSession.send(box, List.of("a@b.org"), mail(), means)).isEmpty();
                talk.get(3, TimeUnit.MINUTES);
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
    void leadingDotsAreStuffed() throws Exception {
        var server = server("plain");
        var box = box(server.port(), MailServer.Encryption.NONE, Optional.empty());
        var means = new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.of(server.trust()));
        var lines = ".\r\n..x\r\na.\r\nend";
        var mail = new MimeMessage((Session) null);
        mail.setText(lines, "us-ascii");
        mail.saveChanges();
        assertThat(SmtpSession.send(box, List.of("a@b.org"), mail, means)).isEmpty();
        assertThat(server.next().text()).endsWith("\r\n\r\n" + lines + "\r\n");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void aTaskNameCannotInjectAHeader() throws Exception {
        var evil =
                new Notification(
                        "x\r\nBcc: all@example.org\r\n\r\nhello", List.of(), Optional.empty(), "");
        var mail = new ByteArrayOutputStream();
        MailFormat.message(evil, "berth@example.org", List.of("a@b.org"), NOW).writeTo(mail);
        assertThat(mail.toString(StandardCharsets.US_ASCII)).doesNotContain("Bcc");
        assertThat(MailFormat.encodeHeader("x\r\nBcc: y")).doesNotContain("Bcc");
    }
}
