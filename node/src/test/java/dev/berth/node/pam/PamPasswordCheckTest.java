package dev.berth.node.pam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.port.PasswordCheck.Login;
import dev.berth.port.PasswordCheck.Verdict;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks with the real libpam need root: a service file and an account of their own. */
class PamPasswordCheckTest {

    private static final Path SERVICES = Path.of("/etc/pam.d");
    private static final String PASSWORD = "päss word'\"$x";

    @TempDir Path directory;
    private final List<Path> made = new ArrayList<>();
    private String account = "";

    @AfterEach
    void removeServiceAndAccount() throws Exception {
        for (var file : made) {
            Files.deleteIfExists(file);
        }
        if (!account.isEmpty()) {
            run("", "userdel", account);
        }
    }

    private PamPasswordCheck service(String... lines) throws IOException {
        assumeTrue(
                System.getProperty("user.name").equals("root") && Files.isDirectory(SERVICES),
                "needs root and PAM");
        var name = "berth-test-" + ProcessHandle.current().pid() + "-" + made.size();
        var file = SERVICES.resolve(name);
        made.add(file);
        Files.write(file, List.of(lines));
        return PamPasswordCheck.ofService(name);
    }

    private void createAccount(String password) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/useradd")), "needs useradd");
        account = "bpam" + ProcessHandle.current().pid();
        run("", "useradd", "--no-create-home", "--shell", "/bin/sh", account);
        if (!password.isEmpty()) {
            run(account + ":" + password + "\n", "chpasswd");
        }
    }

    private static void run(String input, String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static Login login(String user, String password) {
        return new Login(user, password, "127.0.0.1");
    }

    @Test
    void thePasswordOfAnAccountIsChecked() throws Exception {
        var check = service("auth required pam_unix.so nodelay", "account required pam_unix.so");
        createAccount(PASSWORD);
        assertThat(check.check(login(account, PASSWORD))).isEqualTo(new Verdict.Correct(account));
        assertThat(check.check(login(account, PASSWORD + "x"))).isEqualTo(new Verdict.Wrong());
        assertThat(check.check(login("nobody-is-named-so", PASSWORD)))
                .isEqualTo(new Verdict.Wrong());
    }

    @Test
    void anAccountWithoutAPasswordCannotLogIn() throws Exception {
        var check =
                service("auth required pam_unix.so nodelay nullok", "account required pam_unix.so");
        createAccount("");
        run("", "passwd", "--delete", account);
        assertThat(check.check(login(account, "x"))).isEqualTo(new Verdict.Wrong());
    }

    @Test
    void anAccountThatMayNotLogInIsRefused() throws Exception {
        var check = service("auth required pam_permit.so", "account required pam_deny.so");
        assertThat(check.check(login("root", "x"))).isNotInstanceOf(Verdict.Correct.class);
    }

    @Test
    void aServiceThatDoesNotExistAdmitsNobody() throws Exception {
        var check = service("auth required pam_deny.so", "account required pam_deny.so");
        Files.delete(made.getFirst());
        assertThat(check.check(login("root", "x"))).isNotInstanceOf(Verdict.Correct.class);
    }

    private PamPasswordCheck script(String text) throws IOException {
        var file = directory.resolve("child");
        Files.writeString(file, text);
        return new PamPasswordCheck(List.of("/bin/bash", file.toString()));
    }

    @Test
    void thePasswordIsOnlyOnStandardInput() throws Exception {
        var seen = directory.resolve("seen");
        var check =
                script(
                        "tr '\\0' '\\n' </proc/$$/cmdline >%1$s; env >>%1$s; cat >/dev/null; echo wrong"
                                .formatted(seen));
        assertThat(check.check(login("ann", "SECRET"))).isEqualTo(new Verdict.Wrong());
        assertThat(Files.readString(seen)).doesNotContain("SECRET").doesNotContain("ann");
    }

    @Test
    void aChildThatFailsSaysNothingAboutThePassword() throws Exception {
        assertThat(script("exit 1").check(login("ann", "x")))
                .isInstanceOf(Verdict.Unavailable.class);
        assertThat(script("kill -SEGV $$").check(login("ann", "x")))
                .isInstanceOf(Verdict.Unavailable.class);
        assertThat(script("echo correct").check(login("ann", "x")))
                .isInstanceOf(Verdict.Unavailable.class);
        assertThat(new PamPasswordCheck(List.of("/no/such/program")).check(login("ann", "x")))
                .isInstanceOf(Verdict.Unavailable.class);
    }

    @Test
    void fieldsThatCouldBeMistakenForOthersAreWrong() throws Exception {
        var check = script("echo correct root");
        assertThat(check.check(login("a\0b", "x"))).isEqualTo(new Verdict.Wrong());
        assertThat(check.check(login("ann", ""))).isEqualTo(new Verdict.Wrong());
        assertThat(check.check(login("ann", "x".repeat(2000)))).isEqualTo(new Verdict.Wrong());
    }

    @Test
    void fewChildrenRunAtOnce() throws Exception {
        var check =
                script(
                        "mkdir -p %1$s/running; : >%1$s/running/$$; ls %1$s/running | wc -l >>%1$s/counts;"
                                        .formatted(directory)
                                + " cat >/dev/null; read -t 0.1 <> <(:);"
                                + " rm %1$s/running/$$; echo wrong".formatted(directory));
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 12; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            var _ = check.check(login("ann", "x"));
                                        } catch (InterruptedException e) {
                                            Thread.currentThread().interrupt();
                                        }
                                    }));
        }
        for (var thread : threads) {
            thread.join(TimeUnit.MINUTES.toMillis(1));
        }
        var counts = Files.readAllLines(directory.resolve("counts"));
        assertThat(counts).hasSize(12);
        assertThat(counts.stream().mapToInt(line -> Integer.parseInt(line.strip())))
                .allMatch(count -> count <= PamPasswordCheck.MAX_CHILDREN);
    }
}
