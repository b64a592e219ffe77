package dev.berth.server.message;

import java.util.Locale;

/** How a receiver is reached. */
public enum Form {
    WEBHOOK,
    MAIL,
    FEISHU,
    DINGTALK,
    WECOM,
    SLACK;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Form of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Whether a secret signs what is sent. */
    public boolean isSigned() {
        return this == FEISHU || this == DINGTALK;
    }

    /** A robot in a chat, which may speak only so often. */
    boolean isChat() {
        return this != WEBHOOK && this != MAIL;
    }
}
