package dev.berth.server.message;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** One talk with a mail server (RFC 5321, with STARTTLS and AUTH). */
final class Smtp {

    /** A mail server may take its time with each of its answers; all together take no longer. */
    private static final int ANSWERS = 2;

    private static final int MOST_LINES = 100;
    private static final int LONGEST_ANSWER = 200;

    private final Connection connection;
    private InputStream in;

    private Smtp(Connection connection) throws IOException {
        this.connection = connection;
        this.in = new BufferedInputStream(connection.in());
    }

    /** What a server says. */
    private record Reply(int code, List<String> lines) {
        boolean isDone() {
            return code / 100 == 2;
        }

        boolean offers(String word) {
            return lines.stream()
                    .map(line -> line.toUpperCase(Locale.ROOT))
                    .anyMatch(line -> line.equals(word) || line.startsWith(word + " "));
        }

        /** A way to log in, written with a blank or, by old servers, an equals sign. */
        boolean takes(String way) {
            return lines.stream()
                    .map(line -> line.toUpperCase(Locale.ROOT))
                    .filter(line -> line.matches("AUTH[ =].*"))
                    .anyMatch(line -> List.of(line.split("[ =]+")).contains(way));
        }

        String shown() {
            var text = String.join(" ", lines).replaceAll("\\p{Cntrl}", " ").strip();
            return code
                    + " "
                    + (text.length() > LONGEST_ANSWER ? text.substring(0, LONGEST_ANSWER) : text);
        }
    }

    /**
     * @return those to whom the server does not deliver, while others got the mail
     */
    static List<String> send(Mailbox box, List<String> to, byte[] mail, Connection.Means means)
            throws Undelivered {
        var limit = means.patience().answer().multipliedBy(ANSWERS);
        try (var connection = Connection.open(box.host(), box.port(), means, limit)) {
            try {
                if (box.security() == Mailbox.Security.TLS) {
                    connection.secure();
                }
                return new Smtp(connection).talk(box, to, mail);
            } catch (IOException e) {
                throw connection.failed(e);
            }
        }
    }

    private List<String> talk(Mailbox box, List<String> to, byte[] mail)
            throws IOException, Undelivered {
        expect(2, read(), "its greeting");
        var hello = hello();
        if (box.security() == Mailbox.Security.STARTTLS) {
            hello = secured(hello, box.host());
        }
        if (box.login().isPresent()) {
            logIn(box.login().get(), hello);
        }
        expect(2, say("MAIL FROM:<" + box.from() + ">"), "MAIL FROM");
        var refused = new ArrayList<String>();
        String why = "";
        for (var address : to) {
            var reply = say("RCPT TO:<" + address + ">");
            if (!reply.isDone()) {
                refused.add(address);
                why = reply.shown();
            }
        }
        if (refused.size() == to.size()) {
            throw new Undelivered("the mail server takes nothing for " + to + ": " + why);
        }
        expect(3, say("DATA"), "DATA");
        connection.out().write(stuffed(mail));
        expect(2, read(), "the mail");
        quit();
        return refused;
    }

    /** The server has the mail: whatever happens now, it is not to be sent again. */
    private void quit() {
        try {
            write("QUIT");
        } catch (IOException _) {
            // Many servers hang up first.
        }
    }

    private Reply hello() throws IOException, Undelivered {
        var address = connection.localAddress();
        var own = address.contains(":") ? "[IPv6:" + address + "]" : "[" + address + "]";
        return expect(2, say("EHLO " + own), "EHLO");
    }

    private Reply secured(Reply hello, String host) throws IOException, Undelivered {
        if (!hello.offers("STARTTLS")) {
            throw new Undelivered(
                    host + " does not offer STARTTLS, and nothing is sent in the open");
        }
        expect(2, say("STARTTLS"), "STARTTLS");
        if (in.available() > 0) {
            // Somebody on the way would speak as the server.
            throw new Undelivered(host + " said more than it should before the way was safe");
        }
        connection.secure();
        in = new BufferedInputStream(connection.in());
        return hello();
    }

    private void logIn(Mailbox.Login login, Reply hello) throws IOException, Undelivered {
        var password = login.password().read();
        if (hello.takes("PLAIN")) {
            expect(
                    2,
                    say("AUTH PLAIN " + base64("\0" + login.user() + "\0" + password)),
                    "the login");
        } else if (hello.takes("LOGIN")) {
            expect(3, say("AUTH LOGIN"), "AUTH LOGIN");
            expect(3, say(base64(login.user())), "the user's name");
            expect(2, say(base64(password)), "the login");
        } else {
            throw new Undelivered("the mail server takes no login that Berth knows");
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A line that is a dot ends the mail; one that begins with a dot gets a second. */
    static byte[] stuffed(byte[] mail) {
        var bytes = new ByteArrayOutputStream();
        boolean isNewLine = true;
        for (byte letter : mail) {
            if (isNewLine && letter == '.') {
                bytes.write('.');
            }
            bytes.write(letter);
            isNewLine = letter == '\n';
        }
        bytes.writeBytes((isNewLine ? ".\r\n" : "\r\n.\r\n").getBytes(StandardCharsets.US_ASCII));
        return bytes.toByteArray();
    }

    /**
     * @param kind the first digit that is good
     */
    private static Reply expect(int kind, Reply reply, String what) throws Undelivered {
        if (reply.code() / 100 != kind) {
            throw new Undelivered("the mail server did not take " + what + ": " + reply.shown());
        }
        return reply;
    }

    private Reply say(String line) throws IOException {
        write(line);
        return read();
    }

    private void write(String line) throws IOException {
        connection.out().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        connection.out().flush();
    }

    private Reply read() throws IOException {
        var lines = new ArrayList<String>();
        while (lines.size() < MOST_LINES) {
            var line = AnswerLine.read(in);
            if (!line.matches("[2-5][0-9]{2}([ -].*)?")) {
                throw new IOException("what it says is no SMTP");
            }
            lines.add(line.length() > 4 ? line.substring(4) : "");
            if (line.length() == 3 || line.charAt(3) == ' ') {
                return new Reply(Integer.parseInt(line.substring(0, 3)), lines);
            }
        }
        throw new IOException("its answer has no end");
    }
}
