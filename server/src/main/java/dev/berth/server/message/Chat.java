package dev.berth.server.message;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/** The form in which one kind of receiver takes notes by HTTP, and how it says that it did. */
interface Chat {

    /** What is posted, and where. */
    record Letter(URI url, Object json) {}

    Letter letter(Receiver.Way way, Note note, Instant now);

    /**
     * Why it was not taken, although the answer is 2xx.
     *
     * @param answer its body
     */
    Optional<String> complaint(String answer);

    static Chat of(Form form) {
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
