package dev.berth.node.pam;

import dev.berth.port.PasswordCheck;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Checks passwords by PAM, each in a child process of its own. Only root can check the passwords of
 * other users.
 */
public final class PamPasswordCheck implements PasswordCheck {

    private static final Logger log = LoggerFactory.getLogger(PamPasswordCheck.class);

    /** A child needs a JVM; more of them at once would slow the machine down. */
    static final int MAX_CHILDREN = 4;

    /** A wrong password takes over two seconds; a name service may take longer. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int MAX_FIELD_BYTES = 1024;

    private final List<String> command;
    private final Semaphore children = new Semaphore(MAX_CHILDREN, true);

    /**
     * @param command starts a child: it reads a login on its standard input
     */
    PamPasswordCheck(List<String> command) {
        this.command = List.copyOf(command);
    }

    /**
     * @param service the name of a file in {@code /etc/pam.d}
     */
    public static PamPasswordCheck ofService(String service) {
        return new PamPasswordCheck(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx32m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path", ""),
                        PamChild.class.getName(),
                        service));
    }

    @Override
    public Verdict check(Login login) throws InterruptedException {
        if (!isValid(login.user()) || !isValid(login.address()) || !isValid(login.password())) {
            return new Verdict.Wrong();
        }
        if (!children.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            return new Verdict.Unavailable("too many logins at once");
        }
        try {
            return run(login);
        } catch (IOException e) {
            log.warn("a password could not be checked: {}", e.getMessage());
            return new Verdict.Unavailable(String.valueOf(e.getMessage()));
        } finally {
            children.release();
        }
    }

    /** The fields are separated by NUL characters on the way to the child. */
    private static boolean isValid(String text) {
        return !text.isEmpty()
                && text.indexOf('\0') < 0
                && text.getBytes(StandardCharsets.UTF_8).length <= MAX_FIELD_BYTES;
    }

    private Verdict run(Login login) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(false);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "LC_ALL", "C.UTF-8"));
        var child = builder.start();
        try {
            try (var input = child.getOutputStream()) {
                var fields = login.user() + "\0" + login.address() + "\0" + login.password() + "\0";
                input.write(fields.getBytes(StandardCharsets.UTF_8));
            }
            if (!child.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                return new Verdict.Unavailable(
                        "PAM did not answer within " + LIMIT.toSeconds() + " s");
            }
            var output = child.getInputStream().readNBytes(MAX_FIELD_BYTES);
            return verdict(new String(output, StandardCharsets.UTF_8).strip());
        } finally {
            child.destroyForcibly();
        }
    }

    private static Verdict verdict(String line) {
        if (line.startsWith(PamChild.CORRECT)) {
            return new Verdict.Correct(line.substring(PamChild.CORRECT.length()));
        }
        if (line.equals(PamChild.WRONG)) {
            return new Verdict.Wrong();
        }
        var why =
                line.startsWith(PamChild.UNAVAILABLE)
                        ? line.substring(PamChild.UNAVAILABLE.length())
                        : "the child ended without an answer";
        log.warn("a password could not be checked: {}", why);
        return new Verdict.Unavailable(why);
    }
}
