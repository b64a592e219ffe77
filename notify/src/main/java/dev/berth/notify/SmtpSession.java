package dev.berth.notify;

import dev.berth.config.receiver.MailServer;
import dev.berth.files.UserPaths;

import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.URLName;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;

import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A session with a mail server, which sends one mail. */
final class SmtpSession {

    /** The time limit of a session, in time limits of one answer. */
    private static final int ANSWERS = 2;

    private static final int MAX_REPLY_LENGTH = 200;
    private static final String STARTTLS = "STARTTLS";
    private static final String AUTH = "AUTH";

    private static final UserPaths PASSWORD_FILES = UserPaths.withOwnThreads();

    private final MailServer server;
    private final SMTPTransport transport;

    private SmtpSession(MailServer server, SMTPTransport transport) {
        this.server = server;
        this.transport = transport;
    }

    /**
     * @return addresses that the server refused while it accepted others
     */
    static List<String> send(
            MailServer server, List<String> to, MimeMessage mail, ConnectionSettings settings)
            throws DeliveryException {
        var password = password(server);
        var limit = settings.timing().answerLimit().multipliedBy(ANSWERS);
        try (var connection = MailConnection.open(server.host(), server.port(), settings, limit)) {
            var session = Session.getInstance(properties(server, connection, settings));
            var url =
                    new URLName(
                            "smtp",
                            server.host(),
                            server.port(),
                            null,
                            server.login().map(MailServer.Login::user).orElse(null),
                            password);
            var transport = new SMTPTransport(session, url);
            return new SmtpSession(server, transport).exchange(connection, to, mail);
        }
    }

    private static @Nullable String password(MailServer server) throws DeliveryException {
        if (server.login().isEmpty()) {
            return null;
        }
        try {
            return read(server.login().get().password());
        } catch (IOException e) {
            throw new DeliveryException(String.valueOf(e.getMessage()));
        }
    }

    private static String read(MailServer.Password password) throws IOException {
        return switch (password) {
            case MailServer.Password.Inline inline -> inline.text();
            case MailServer.Password.InFile inFile ->
                    PASSWORD_FILES.access(inFile.file(), inFile::read);
        };
    }

    private static Properties properties(
            MailServer server, MailConnection connection, ConnectionSettings settings) {
        var properties = new Properties();
        var address = connection.localAddress();
        properties.put(
                "mail.smtp.localhost",
                address.contains(":") ? "[IPv6:" + address + "]" : "[" + address + "]");
        properties.put("mail.smtp.from", server.sender());
        properties.put("mail.smtp.sendpartial", "true");
        // The server has accepted the mail by then: its reply to QUIT changes nothing.
        properties.put("mail.smtp.quitwait", "false");
        if (server.security() == MailServer.Encryption.STARTTLS) {
            properties.put("mail.smtp.starttls.required", "true");
            properties.put("mail.smtp.ssl.socketFactory", settings.tls().getSocketFactory());
        }
        server.login()
                .ifPresent(
                        login -> {
                            properties.put("mail.smtp.auth", "true");
                            properties.put("mail.smtp.auth.mechanisms", mechanisms(login));
                            // Not a second copy of the user's name, which some servers refuse.
                            properties.put("mail.smtp.sasl.authorizationid", "");
                        });
        return properties;
    }

    private static String mechanisms(MailServer.Login login) {
        return switch (login.method()) {
            case PASSWORD -> "PLAIN LOGIN";
            case OAUTH2 -> "XOAUTH2";
        };
    }

    private List<String> exchange(MailConnection connection, List<String> to, MimeMessage mail)
            throws DeliveryException {
        try {
            transport.connect(
                    server.security() == MailServer.Encryption.TLS
                            ? connection.encrypted()
                            : connection.plain());
            requireLogin();
            transport.sendMessage(mail, addresses(to));
            return List.of();
        } catch (SendFailedException e) {
            var accepted = e.getValidSentAddresses();
            // After the end of the mail the library reports addresses that were refused before.
            if (accepted != null
                    && accepted.length > 0
                    && transport.getLastReturnCode() / 100 == 2) {
                return refused(e);
            }
            throw describe(e, connection, to);
        } catch (MessagingException e) {
            throw describe(e, connection, to);
        } catch (IOException e) {
            throw connection.describe(e);
        } finally {
            quit();
        }
    }

    /** The library sends without a login if the server offers none. */
    private void requireLogin() throws DeliveryException {
        if (server.login().isPresent()
                && !transport.supportsExtension(AUTH)
                && !transport.supportsExtension("AUTH=LOGIN")) {
            throw new DeliveryException("the mail server takes no login that Berth knows");
        }
    }

    /** If the server has accepted the mail, a failure from now on must not send it again. */
    private void quit() {
        try {
            transport.close();
        } catch (MessagingException _) {
            // Many servers close the connection first.
        }
    }

    private static Address[] addresses(List<String> to) {
        return to.stream()
                .map(
                        address -> {
                            var recipient = new InternetAddress();
                            recipient.setAddress(address);
                            return recipient;
                        })
                .toArray(Address[]::new);
    }

    private static List<String> refused(SendFailedException e) {
        var refused = new ArrayList<String>();
        for (var addresses :
                new Address[][] {e.getInvalidAddresses(), e.getValidUnsentAddresses()}) {
            for (var address : addresses == null ? new Address[0] : addresses) {
                refused.add(((InternetAddress) address).getAddress());
            }
        }
        return refused;
    }

    private DeliveryException describe(
            MessagingException e, MailConnection connection, List<String> to) {
        if (e.getNextException() instanceof IOException broken) {
            return connection.describe(broken);
        }
        return switch (e) {
            case AuthenticationFailedException _ ->
                    transport.getLastReturnCode() / 100 == 2
                            ? new DeliveryException(
                                    "the mail server takes no login that Berth knows")
                            : refusal("the login");
            case SMTPSendFailedException failed -> refusal(step(failed.getCommand()));
            case SendFailedException _ ->
                    new DeliveryException(
                            "the mail server takes nothing for " + to + ": " + lastReply());
            default ->
                    isWithoutStartTls()
                            ? new DeliveryException(
                                    server.host()
                                            + " does not offer STARTTLS, and nothing is sent in"
                                            + " the open")
                            : refusal("the session");
        };
    }

    private DeliveryException refusal(String what) {
        return new DeliveryException("the mail server did not take " + what + ": " + lastReply());
    }

    private static String step(String command) {
        return command.equals(".") ? "the mail" : command.replaceFirst(":.*", "");
    }

    private boolean isWithoutStartTls() {
        return server.security() == MailServer.Encryption.STARTTLS
                && transport.getLastReturnCode() / 100 == 2
                && !transport.supportsExtension(STARTTLS);
    }

    /** The reply as one line of limited length; the codes of continued lines are removed. */
    private String lastReply() {
        var reply = String.valueOf(transport.getLastServerResponse());
        var text =
                reply.replaceAll("\n[2-5][0-9]{2}[ -]", " ").replaceAll("\\p{Cntrl}", " ").strip();
        return text.length() > MAX_REPLY_LENGTH ? text.substring(0, MAX_REPLY_LENGTH) : text;
    }
}
