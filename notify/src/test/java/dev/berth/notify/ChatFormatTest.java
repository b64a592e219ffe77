package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;
import dev.berth.json.WireJson;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The format of each chat, field by field as its vendor documents it. */
class ChatFormatTest {

    private static final Instant NOW = Instant.parse("2025-11-15T08:00:00.123Z");
    private static final Notification NOTE =
            new Notification(
                    "任务失败: train (#7)",
                    List.of(
                            new Notification.Row("错误", "exit code 1"),
                            new Notification.Row("用户", "alice")),
                    Optional.of(new Notification.Link("Show", "https://b.example.org/ui/tasks/7")),
                    Map.of("event", "task_failed"));

    /** Every attempt of a task name to mention or mislead a group of users. */
    private static final String EVIL =
            "@all <@all> <!channel> <at user_id=\"all\"></at> [x](http://evil) **b** `c` # d\n"
                    + "> e @所有人";

    private static ChatFormat.ChatRequest letter(
            ChannelKind form, Optional<String> secret, Notification note) {
        var url = URI.create("https://chat.example.org/hook?access_token=T");
        return ChatFormat.of(form)
                .request(
                        new Receiver.Channel(form, Optional.of(url), secret, List.of()), note, NOW);
    }

    private static JsonNode json(ChatFormat.ChatRequest letter) {
        return JsonMapper.shared().readTree(WireJson.write(letter.json()));
    }

    @Test
    void feishuGetsRichTextWithItsSignature() {
        var letter = letter(ChannelKind.FEISHU, Optional.of("s3cret"), NOTE);
        assertThat(letter.url().getQuery()).isEqualTo("access_token=T");
        var json = json(letter);
        assertThat(json.propertyNames())
                .containsExactly("timestamp", "sign", "msg_type", "content");
        assertThat(json.get("timestamp").asString()).isEqualTo("1763193600");
        // printf '' | openssl dgst -sha256 -hmac "$(printf '1763193600\ns3cret')" -binary | base64
        assertThat(json.get("sign").asString())
                .isEqualTo("GytaxyABoG15JHov4v/Q7YfwMTozfjlRjHpwElp7FtU=");
        assertThat(json.get("msg_type").asString()).isEqualTo("post");
        var post = json.at("/content/post/zh_cn");
        assertThat(post.get("title").asString()).isEqualTo("任务失败: train (#7)");
        assertThat(post.at("/content/0/0/tag").asString()).isEqualTo("text");
        assertThat(post.at("/content/0/0/text").asString()).isEqualTo("错误: exit code 1");
        assertThat(post.at("/content/1/0/text").asString()).isEqualTo("用户: alice");
        assertThat(post.at("/content/2/0/tag").asString()).isEqualTo("a");
        assertThat(post.at("/content/2/0/href").asString())
                .isEqualTo("https://b.example.org/ui/tasks/7");
        assertThat(json(letter(ChannelKind.FEISHU, Optional.empty(), NOTE)).propertyNames())
                .containsExactly("msg_type", "content");
    }

    @Test
    void dingTalkGetsMarkdownAndItsSignatureInTheUrl() {
        var letter = letter(ChannelKind.DINGTALK, Optional.of("SECabc"), NOTE);
        // printf '1763193600123\nSECabc' | openssl dgst -sha256 -hmac SECabc -binary | base64
        assertThat(letter.url().getRawQuery())
                .isEqualTo(
                        "access_token=T&timestamp=1763193600123&sign=64kxAyzNFrVQLGhpph4Mp2hGKnpHDLiw%2FHHMF3OxGew%3D");
        var json = json(letter);
        assertThat(json.propertyNames()).containsExactly("msgtype", "markdown", "at");
        assertThat(json.get("msgtype").asString()).isEqualTo("markdown");
        assertThat(json.at("/markdown/title").asString()).isEqualTo("任务失败: train (＃7)");
        assertThat(json.at("/markdown/text").asString())
                .isEqualTo(
                        "### 任务失败: train (＃7)\n\n- 错误: exit code 1\n- 用户: alice\n\n"
                                + "[Show](https://b.example.org/ui/tasks/7)");
        assertThat(json.at("/at/isAtAll").asBoolean(true)).isFalse();
        assertThat(letter(ChannelKind.DINGTALK, Optional.empty(), NOTE).url().getRawQuery())
                .isEqualTo("access_token=T");
    }

    @Test
    void weComGetsMarkdownWithinItsLimit() {
        var json = json(letter(ChannelKind.WECOM, Optional.empty(), NOTE));
        assertThat(json.propertyNames()).containsExactly("msgtype", "markdown");
        assertThat(json.get("msgtype").asString()).isEqualTo("markdown");
        assertThat(json.at("/markdown/content").asString())
                .isEqualTo(
                        "### 任务失败: train (＃7)\n> 错误: exit code 1\n> 用户: alice\n"
                                + "[Show](https://b.example.org/ui/tasks/7)");
        var rows = new ArrayList<Notification.Row>();
        for (int i = 0; i < 10; i++) {
            rows.add(new Notification.Row("行", "长".repeat(500)));
        }
        var large =
                json(
                        letter(
                                ChannelKind.WECOM,
                                Optional.empty(),
                                new Notification("t", rows, NOTE.link(), "")));
        assertThat(large.at("/markdown/content").asString().getBytes(StandardCharsets.UTF_8))
                .hasSizeBetween(4000, 4096);
        assertThat(large.at("/markdown/content").asString())
                .endsWith("…\n[Show](https://b.example.org/ui/tasks/7)");
    }

    @Test
    void slackGetsTextAndBlocks() {
        var json = json(letter(ChannelKind.SLACK, Optional.empty(), NOTE));
        assertThat(json.propertyNames()).containsExactly("text", "blocks");
        assertThat(json.get("text").asString()).isEqualTo("任务失败: train (#7)");
        assertThat(json.at("/blocks/0/type").asString()).isEqualTo("header");
        assertThat(json.at("/blocks/0/text/type").asString()).isEqualTo("plain_text");
        assertThat(json.at("/blocks/1/type").asString()).isEqualTo("section");
        assertThat(json.at("/blocks/1/text/text").asString())
                .isEqualTo("错误: exit code 1\n用户: alice");
        assertThat(json.at("/blocks/2/elements/0/text").asString())
                .isEqualTo("<https://b.example.org/ui/tasks/7|Show>");
    }

    @Test
    void aWebhookGetsTheEventAsJson() {
        var letter = letter(ChannelKind.WEBHOOK, Optional.empty(), NOTE);
        assertThat(letter.json()).isEqualTo(Map.of("event", "task_failed"));
    }

    @ParameterizedTest
    @EnumSource(
            value = ChannelKind.class,
            names = {"FEISHU", "DINGTALK", "WECOM", "SLACK"})
    void aNameCallsNobodyAndBecomesNoLink(ChannelKind form) {
        var note =
                new Notification(
                        EVIL, List.of(new Notification.Row("", EVIL)), Optional.empty(), "");
        var text = json(letter(form, Optional.empty(), note)).toString();
        assertThat(text).contains("evil").doesNotContain("@all", "<@", "<!", "<at", "@所有人");
        if (form == ChannelKind.DINGTALK || form == ChannelKind.WECOM) {
            assertThat(text).doesNotContain("](", "**", "`", "\\n# ", "\\n> e");
        }
    }

    @Test
    void underscoresInsideWordsAreKept() {
        assertThat(ChatEscape.markdown("my_task-1.py (v2) 50%")).isEqualTo("my_task-1.py (v2) 50%");
        assertThat(ChatEscape.markdown("_x_")).isEqualTo("＿x＿");
        assertThat(ChatEscape.plain("a@b.org <5 [x]")).isEqualTo("a@b.org <5 [x]");
        assertThat(ChatEscape.slack("a & b <c>")).isEqualTo("a &amp; b &lt;c&gt;");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FEISHU|{\"code\":0,\"msg\":\"success\"}|",
                "FEISHU|{\"code\":19021,\"msg\":\"sign match fail\"}|code 19021: sign match fail",
                "FEISHU|<html>|the answer has no code",
                "DINGTALK|{\"errcode\":0,\"errmsg\":\"ok\"}|",
                "DINGTALK|{\"errcode\":310000,\"errmsg\":\"sign not match\"}|errcode 310000: sign"
                        + " not match",
                "WECOM|{\"errcode\":0,\"errmsg\":\"ok\"}|",
                "WECOM|{\"errcode\":45009,\"errmsg\":\"freq limit\"}|errcode 45009: freq limit",
                "WECOM|{}|the answer has no errcode",
                "SLACK|ok|",
                "SLACK|invalid_payload|invalid_payload",
                "WEBHOOK|whatever|"
            })
    void whetherItWasTakenIsInTheAnswer(ChannelKind form, String answer, String complaint) {
        assertThat(ChatFormat.of(form).refusalReason(answer))
                .isEqualTo(Optional.ofNullable(complaint));
    }
}
