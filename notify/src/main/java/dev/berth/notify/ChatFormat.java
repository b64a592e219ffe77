package dev.berth.notify;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.Receiver;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/** The message format of one HTTP channel, and how its answer reports success. */
interface ChatFormat {

    /** The URL and the JSON body of a request. */
    record ChatRequest(URI url, Object json) {}

    ChatRequest request(Receiver.Channel way, Notification note, Instant now);

    /**
     * The reason why the message was refused, although the status is 2xx; empty if it was accepted.
     *
     * @param answer the body of the answer
     */
    Optional<String> refusalReason(String answer);

    static ChatFormat of(ChannelKind form) {
        return switch (form) {
            case WEBHOOK -> new Webhook();
            case FEISHU -> new Feishu();
            case DINGTALK -> new DingTalk();
            case WECOM -> new WeCom();
            case SLACK -> new Slack();
            case MAIL -> throw new IllegalArgumentException("mail is no chat");
        };
    }
}
