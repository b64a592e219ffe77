package dev.berth.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.AlertLevel;
import dev.berth.core.access.Actor;
import dev.berth.json.WireJson;
import dev.berth.texts.Language;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Receivers, as configured in a file. */
class NotificationSettingsTest {

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
        return Configuration.load(ConfigSources.of(home));
    }

    private void write(String text) throws IOException {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), text);
    }

    @Test
    void readsReceivers() throws Exception {
        var messages = load(WHOLE).notifications();
        assertThat(messages.language()).isEqualTo(Language.ENGLISH);
        var box = messages.mailServer().orElseThrow();
        assertThat(box.host()).isEqualTo("mail.example.org");
        assertThat(box.port()).isEqualTo(465);
        assertThat(box.security()).isEqualTo(MailServer.Encryption.TLS);
        assertThat(box.login())
                .contains(new MailServer.Login("berth", new MailServer.Password.Inline("PASSW")));
        assertThat(messages.receivers())
                .extracting(Receiver::name)
                .containsExactly("alert_webhook", "lab-feishu", "alice");
        var hook = messages.receivers().get(0);
        assertThat(hook.topics()).containsExactly(Topic.ALERT);
        assertThat(hook.minLevel()).isEqualTo(AlertLevel.INFO);
        var lab = messages.receivers().get(1);
        assertThat(lab.channel().kind()).isEqualTo(ChannelKind.FEISHU);
        assertThat(lab.channel().secret()).contains("FSSECRET");
        assertThat(lab.users()).isEmpty();
        assertThat(lab.topics()).containsExactly(Topic.ALERT, Topic.TASK_FAILED);
        assertThat(lab.minLevel()).isEqualTo(AlertLevel.WARNING);
        var alice = messages.receivers().get(2);
        assertThat(alice.channel().to()).containsExactly("alice@example.org", "a2@example.org");
        assertThat(alice.users()).containsExactly("alice");
        assertThat(alice.topics()).containsExactly(Topic.TASK_COMPLETED, Topic.TASK_FAILED);
        assertThat(alice.minLevel()).isEqualTo(AlertLevel.CRITICAL);
    }

    @Test
    void aReceiverMayHaveItsOwnLanguage() throws Exception {
        var receivers =
                load("""
                message_language: zh-CN
                messages:
                  - {name: a, kind: slack, url: "https://x.org", language: en}
                  - {name: b, kind: slack, url: "https://x.org"}
                """)
                        .notifications()
                        .receivers();
        assertThat(receivers.get(0).language()).contains(Language.ENGLISH);
        assertThat(receivers.get(1).language()).isEmpty();
    }

    @Test
    void theLanguageIsThatOfTheLocaleUnlessItIsSet() throws Exception {
        assertThat(language("", Map.of("LANG", "zh_CN.UTF-8"))).isEqualTo(Language.CHINESE);
        assertThat(language("", Map.of("LANG", "zh_CN.UTF-8", "LC_ALL", "C.UTF-8")))
                .isEqualTo(Language.ENGLISH);
        var keptByLauncher =
                Map.of("LANG", "zh_CN.UTF-8", "LC_ALL", "C.UTF-8", "BERTH_CALLER_LC_ALL", "");
        assertThat(language("", keptByLauncher)).isEqualTo(Language.CHINESE);
        assertThat(language("", Map.of("LC_ALL", "", "LC_MESSAGES", "zh_TW")))
                .isEqualTo(Language.CHINESE);
        assertThat(language("message_language: en", Map.of("LANG", "zh_CN.UTF-8")))
                .isEqualTo(Language.ENGLISH);
        var byVariable = Map.of("LANG", "en_GB", "BERTH_MESSAGE_LANGUAGE", "zh-CN");
        assertThat(language("", byVariable)).isEqualTo(Language.CHINESE);
    }

    private Language language(String yaml, Map<String, String> environment) throws Exception {
        write("port: 0\n" + yaml + "\n");
        var layers = new ConfigSources(home, Optional.empty(), environment, new TreeMap<>());
        return Configuration.load(layers).notifications().language();
    }

    @Test
    void noReceiversByDefault() throws Exception {
        var messages = load("port: 0\n").notifications();
        assertThat(messages.receivers()).isEmpty();
        assertThat(messages.mailServer()).isEmpty();
        assertThat(messages.language()).isEqualTo(Language.ENGLISH);
        assertThat(load("messages: []\n").notifications().receivers()).isEmpty();
    }

    @Test
    void noSecretIsShown() throws Exception {
        var config = load(WHOLE);
        var shown = new String(WireJson.write(config.entries()), StandardCharsets.UTF_8);
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
                "{name: a, kind: slack, url: 'https://x.org', language: fr}|:2:"
                        + " messages[0].language is one of zh-CN, en, not \"fr\"",
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
                .isInstanceOf(InvalidConfigException.class)
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
                "{host: m.org, from: a@b.org, auth: oauth2}|smtp.auth has no meaning without"
                        + " smtp.user: set that too, or not this",
                "{host: m.org, from: a@b.org, user: u, password: p, auth: ntlm}|smtp.auth is one"
                        + " of password, oauth2, not \"ntlm\"",
                "{host: m.org, from: a@b.org, password: p}|smtp.password has no meaning without"
                        + " smtp.user: set that too, or not this",
                "{host: m.org, from: a@b.org, password_file: p}|smtp.password_file has no meaning"
                        + " without smtp.user: set that too, or not this",
                "[{host: a}]|smtp is a group of keys, not a list of groups"
            })
    void whatIsWrongWithTheMailServerIsSaidWithItsPlace(String smtp, String problem) {
        assertThatThrownBy(() -> load("smtp: " + smtp + "\n"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("config/berth.yaml:1: " + problem);
    }

    @Test
    void receiverNamesAreUnique() {
        var row = "  - {name: a, kind: slack, url: 'https://x.org'}\n";
        assertThatThrownBy(() -> load("messages:\n" + row + row))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage("config/berth.yaml:3: messages[1].name is a, as another one's is");
    }

    @Test
    void aListMustNotMixScalarsAndMappings() {
        for (var list : List.of("[{name: a}, b]", "[b, {name: a}]", "[[a]]")) {
            assertThatThrownBy(() -> load("port: 0\nmessages: " + list + "\n"))
                    .isInstanceOf(InvalidConfigException.class)
                    .hasMessage(
                            "config/berth.yaml:2: a list holds words and numbers only, or groups"
                                    + " only");
        }
        assertThatThrownBy(() -> load("extra_path: [{a: b}]\n"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage(
                        "config/berth.yaml:1: extra_path is a list of texts, not a list of groups");
        assertThatThrownBy(() -> load("messages: SECRET\n"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessage(
                        "config/berth.yaml:1: messages is a list of at most 200 groups of keys");
    }

    @Test
    void listsOfTwoFilesAreNotMerged() throws Exception {
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
                        .notifications()
                        .receivers();
        assertThat(receivers).extracting(Receiver::name).containsExactly("c");
        assertThat(receivers.getFirst().channel().secret()).isEmpty();
    }

    @Test
    void theMailServerHasSeparateVariables() throws Exception {
        write("smtp: {host: m.org, from: a@b.org, user: u}\n");
        var environment = Map.of("BERTH_SMTP_PASSWORD", "p", "BERTH_HOST", "127.0.0.1");
        var layers = new ConfigSources(home, Optional.empty(), environment, new TreeMap<>());
        var login = Configuration.load(layers).notifications().mailServer().orElseThrow().login();
        assertThat(login).contains(new MailServer.Login("u", new MailServer.Password.Inline("p")));
    }

    @Test
    void thePasswordMayBeAnAccessToken() throws Exception {
        var login =
                load("smtp: {host: m.org, from: a@b.org, user: u, auth: oauth2, password_file:"
                                + " t}\n")
                        .notifications()
                        .mailServer()
                        .orElseThrow()
                        .login()
                        .orElseThrow();
        assertThat(login.method()).isEqualTo(MailServer.LoginMethod.OAUTH2);
        assertThat(login.password()).isEqualTo(new MailServer.Password.InFile(home.resolve("t")));
    }

    /** Changing a rule in a file with receivers keeps the receivers. */
    @Test
    void aFileWithReceiversStaysEditable() throws Exception {
        var config = load(WHOLE);
        var book = new LiveConfiguration(ConfigSources.of(home), config, _ -> {}, (_, _) -> {});
        book.changeRules(Actor.BERTH, Map.of("gpu_left", 2, "compete_gpus", List.of(3)), true);
        var text = Files.readString(home.resolve("config/berth.yaml"));
        assertThat(text)
                .isEqualTo(
                        WHOLE.replace("compete_gpus: [0, 1]", "compete_gpus: [3]")
                                + "gpu_left: 2\n");
        assertThat(Configuration.load(ConfigSources.of(home)).notifications().receivers())
                .isEqualTo(config.notifications().receivers());
    }
}
