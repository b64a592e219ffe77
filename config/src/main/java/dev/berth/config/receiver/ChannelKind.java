package dev.berth.config.receiver;

import java.util.Locale;

/** The kind of channel through which a receiver is reached. */
public enum ChannelKind {
    WEBHOOK,
    MAIL,
    FEISHU,
    DINGTALK,
    WECOM,
    SLACK;

    public String configName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static ChannelKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** True if messages can be signed with a secret. */
    public boolean canSign() {
        return this == FEISHU || this == DINGTALK;
    }

    /** True for a chat robot, whose message rate is limited. */
    public boolean isChat() {
        return this != WEBHOOK && this != MAIL;
    }
}
