package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.alert.AlertLevel;
import dev.berth.server.alert.Language;
import dev.berth.server.http.Json;
import dev.berth.server.message.Form;
import dev.berth.server.message.Mailbox;
import dev.berth.server.message.Receiver;
import dev.berth.server.message.Topic;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Receivers, as they stand in a file. */
class MessagesConfigurationTest {

    private static final String WHOLE =
            """
            alert_webhook: https://ops.example.org/HOOKTOKEN
            message_language: en
            smtp: {host: mail.example.org, port: 465, security: tls, user: berth, password: PASSW, from: berth@example.org}
            messages:
              # the lab
              - {name: lab-feishu, kind: feishu, url: "https://open.feishu.cn/hook/FSTOKEN", secret: FSSECRET}
              - name: alice
                kind: mail
                to: [alice@example.org, a2@example.org]
                users: [alice]
                events: [task_completed, task_failed]
                level: CRITICAL
            compete_gpus: [0, 1]
            """;

    @TempDir private Path home;

    private Configuration load(String text) throws Exception {
        write(text);
        return Configuration.load(Layers.of(home));
    }

    private void write(String text) throws IOException {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), text);
    }

    @Test
    void receiversAreReadAsTheyAreWritten() throws Exception {
        var messages = load(WHOLE).messages();
        assertThat(messages.language()).isEqualTo(Language.ENGLISH);
        var box = messages.mailbox().orElseThrow();
        assertThat(box.host()).isEqualTo("mail.example.org");
        assertThat(box.port()).isEqualTo(465);
        assertThat(box.security()).isEqualTo(Mailbox.Security.TLS);
        assertThat(box.login())
                .contains(new Mailbox.Login("berth", new Mailbox.Password.Known("PASSW")));
        assertThat(messages.receivers())
                .extracting(Receiver::name)
                .containsExactly("alert_webhook", "lab-feishu", "alice");
        var hook = messages.receivers().get(0);
        assertThat(hook.topics()).containsExactly(Topic.ALERT);
        assertThat(hook.level()).isEqualTo(AlertLevel.INFO);
        var lab = messages.receivers().get(1);
        assertThat(lab.way().form()).isEqualTo(Form.FEISHU);
        assertThat(lab.way().secret()).contains("FSSECRET");
        assertThat(lab.users()).isEmpty();
        assertThat(lab.topics()).containsExactly(Topic.ALERT, Topic.TASK_FAILED);
        assertThat(lab.level()).isEqualTo(AlertLevel.WARNING);
        var alice = messages.receivers().get(2);
        assertThat(alice.way().to()).containsExactly("alice@example.org", "a2@example.org");
        assertThat(alice.users()).containsExactly("alice");
        assertThat(alice.topics()).containsExactly(Topic.TASK_COMPLETED, Topic.TASK_FAILED);
        assertThat(alice.level()).isEqualTo(AlertLevel.CRITICAL);
    }

    @Test
    void nobodyIsToldUnlessSomebodySaysSo() throws Exception {
        var messages = load("port: 0\n").messages();
        assertThat(messages.receivers()).isEmpty();
        assertThat(messages.mailbox()).isEmpty();
        assertThat(messages.language()).isEqualTo(Language.CHINESE);
        assertThat(load("messages: []\n").messages().receivers()).isEmpty();
    }

    @Test
    void noSecretIsShown() throws Exception {
        var config = load(WHOLE);
        var shown = new String(Json.write(config.entries()), StandardCharsets.UTF_8);
        assertThat(shown + config)
                .doesNotContain("HOOKTOKEN", "FSTOKEN", "FSSECRET", "PASSW")
                .contains("ops.example.org", "open.feishu.cn", "(set)");
        assertThat(config.entry("messages[0].kind").orElseThrow().value()).isEqualTo("feishu");
        assertThat(config.entry("messages[0].kind").orElseThrow().source())
                .isEqualTo("config/berth.yaml:6");
        assertThat(config.entry("messages").orElseThrow().value()).isEqualTo(2L);
        assertThat(config.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{kind: slack, url: 'https://x.org'}|:2: messages[0].name is missing",
                "{name: a, url: 'https://x.org'}|:2: messages[0].kind is missing",
                "{name: a, kind: pager, url: 'https://x.org'}|:2: messages[0].kind is one of"
                        + " webhook, mail, feishu, dingtalk, wecom, slack, not \"pager\"",
                "{name: a, kind: slack}|:2: messages[0].url is missing",
                "{name: a, kind: slack, url: 'file:///etc/passwd?TOKEN'}|:2: messages[0].url is an"
                        + " address that begins with http:// or https://",
                "{name: a, kind: slack, url: 'http://169.254.169.254/latest'}|:2: messages[0].url:"
                        + " 169.254.169.254 is refused: it is a link-local address",
                "{name: a, kind: slack, url: 'http://[fe80::1]/'}|:2: messages[0].url: [fe80::1] is"
                        + " refused: it is a link-local address",
                "{name: a, kind: slack, url: 'http://u:TOKEN@x.org/'}|:2: messages[0].url is an"
                        + " address that begins with http:// or https://",
                "{name: ../a, kind: slack, url: 'https://x.org'}|:2: messages[0].name is of"
                        + " letters, digits, dots, dashes and underscores, at most 64",
                "{name: a, kind: slack, url: 'https://x.org', secret: TOKEN}|:2: messages[0].secret"
                        + " has no meaning with slack",
                "{name: a, kind: slack, url: 'https://x.org', events: [sometimes]}|:2:"
                        + " messages[0].events is a list of alert, task_completed, task_failed,"
                        + " task_cancelled, task_retried, long_wait, stalled, each at most once,"
                        + " not [sometimes]",
                "{name: a, kind: slack, url: 'https://x.org', events: [alert, alert]}|:2:"
                        + " messages[0].events is a list of alert, task_completed, task_failed,"
                        + " task_cancelled, task_retried, long_wait, stalled, each at most once,"
                        + " not [alert, alert]",
                "{name: a, kind: slack, url: 'https://x.org', level: BAD}|:2: messages[0].level is"
                        + " one of INFO, WARNING, CRITICAL, not \"BAD\"",
                "{name: a, kind: slack, url: 'https://x.org', user: [bob]}|:2: there is no key"
                        + " messages[0].user. Did you mean users?",
                "{name: a, kind: mail, to: [a@x.org]}|:2: messages[0].kind mail needs smtp.host",
                "{name: alert_webhook, kind: slack, url: 'https://x.org'}|:2: messages[0].name is"
                        + " alert_webhook, as another one's is"
            })
    void whatIsWrongWithAReceiverIsSaidWithItsPlace(String row, String problem) {
        assertThatThrownBy(() -> load("messages:\n  - " + row + "\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage("config/berth.yaml" + problem)
                .hasMessageNotContaining("TOKEN");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{host: m.org}|smtp.host needs smtp.from beside it",
                "{host: m.org, from: someone}|smtp.from is like name@example.org, not \"someone\"",
                "{host: m.org, from: 'a@b.org>\\r"
                        + "\\n"
                        + "X'}|smtp.from is like name@example.org, not \"a@b.org>\\r"
                        + "\\n"
                        + "X\"",
                "{host: 169.254.169.254, from: a@b.org}|smtp.host: 169.254.169.254 is refused: it"
                        + " is a link-local address",
                "{host: m.org, from: a@b.org, user: u}|smtp.user needs one of smtp.password and"
                        + " smtp.password_file",
                "{host: m.org, from: a@b.org, user: u, password: p, security: none}|smtp.user needs"
                        + " smtp.security starttls or tls: no password is sent in the open",
                "{user: u}|smtp.user has no meaning without smtp.host: set that too, or not this",
                "{from: a@b.org}|smtp.from has no meaning without smtp.host: set that too, or not"
                        + " this",
                "{port: 25}|smtp.port has no meaning without smtp.host: set that too, or not this",
                "{security: tls}|smtp.security has no meaning without smtp.host: set that too, or"
                        + " not this",
                "{password: p}|smtp.password has no meaning without smtp.host: set that too, or"
                        + " not this",
                "{host: m.org, from: a@b.org, password: p}|smtp.password has no meaning without"
                        + " smtp.user: set that too, or not this",
                "{host: m.org, from: a@b.org, password_file: p}|smtp.password_file has no meaning"
                        + " without smtp.user: set that too, or not this",
                "[{host: a}]|smtp is a group of keys, not a list of groups"
            })
    void whatIsWrongWithTheMailServerIsSaidWithItsPlace(String smtp, String problem) {
        assertThatThrownBy(() -> load("smtp: " + smtp + "\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage("config/berth.yaml:1: " + problem);
    }

    @Test
    void noTwoReceiversHaveOneName() {
        var row = "  - {name: a, kind: slack, url: 'https://x.org'}\n";
        assertThatThrownBy(() -> load("messages:\n" + row + row))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage("config/berth.yaml:3: messages[1].name is a, as another one's is");
    }

    @Test
    void aListIsOfWordsOrOfGroupsAndNotOfBoth() {
        for (var list : List.of("[{name: a}, b]", "[b, {name: a}]", "[[a]]")) {
            assertThatThrownBy(() -> load("port: 0\nmessages: " + list + "\n"))
                    .isInstanceOf(ConfigRefused.class)
                    .hasMessage(
                            "config/berth.yaml:2: a list holds words and numbers only, or groups"
                                    + " only");
        }
        assertThatThrownBy(() -> load("extra_path: [{a: b}]\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage(
                        "config/berth.yaml:1: extra_path is a list of texts, not a list of groups");
        assertThatThrownBy(() -> load("messages: SECRET\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage(
                        "config/berth.yaml:1: messages is a list of at most 200 groups of keys");
    }

    @Test
    void theMoreImportantFileHasTheWholeList() throws Exception {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(
                home.resolve("config/control_setting.yaml"),
                """
                messages:
                  - {name: a, kind: slack, url: 'https://x.org'}
                  - {name: b, kind: feishu, url: 'https://x.org', secret: s}
                """);
        var receivers =
                load("messages:\n  - {name: c, kind: wecom, url: 'https://y.org'}\n")
                        .messages()
                        .receivers();
        assertThat(receivers).extracting(Receiver::name).containsExactly("c");
        assertThat(receivers.getFirst().way().secret()).isEmpty();
    }

    @Test
    void theMailServerHasVariablesOfItsOwn() throws Exception {
        write("smtp: {host: m.org, from: a@b.org, user: u}\n");
        var environment = Map.of("BERTH_SMTP_PASSWORD", "p", "BERTH_HOST", "127.0.0.1");
        var layers = new Layers(home, Optional.empty(), environment, new TreeMap<>());
        var login = Configuration.load(layers).messages().mailbox().orElseThrow().login();
        assertThat(login).contains(new Mailbox.Login("u", new Mailbox.Password.Known("p")));
    }

    /** A rule is changed in a file that has receivers, and they stay as they are. */
    @Test
    void aFileWithReceiversCanStillBeChanged() throws Exception {
        var config = load(WHOLE);
        var book = new RuleBook(Layers.of(home), config, _ -> {}, new ArrayList<>()::add);
        book.change(Map.of("gpu_left", 2, "compete_gpus", List.of(3)), true);
        var text = Files.readString(home.resolve("config/berth.yaml"));
        assertThat(text)
                .isEqualTo(
                        WHOLE.replace("compete_gpus: [0, 1]", "compete_gpus: [3]")
                                + "gpu_left: 2\n");
        assertThat(Configuration.load(Layers.of(home)).messages().receivers())
                .isEqualTo(config.messages().receivers());
    }
}
