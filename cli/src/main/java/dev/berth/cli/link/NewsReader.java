package dev.berth.cli.link;

import dev.berth.wire.Alert;
import dev.berth.wire.ReceiverInfo;
import dev.berth.wire.ReceiverTest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What {@link WireReader} does, for alerts and those who are told of them. */
public final class NewsReader {

    private NewsReader() {}

    /** Without details, which nobody here looks at. */
    public static List<Alert> alerts(@Nullable Object json) {
        List<Alert> alerts = new ArrayList<>();
        for (Fields alert : Fields.listOf(json)) {
            alerts.add(
                    new Alert(
                            alert.longNumber("id"),
                            alert.text("at"),
                            alert.text("level"),
                            alert.text("type"),
                            alert.text("message"),
                            Map.of(),
                            alert.longOrNull("task_id")));
        }
        return alerts;
    }

    public static List<ReceiverInfo> receivers(@Nullable Object json) {
        List<ReceiverInfo> receivers = new ArrayList<>();
        for (Fields one : Fields.listOf(json)) {
            List<String> users = one.texts("users");
            receivers.add(
                    new ReceiverInfo(
                            one.text("name"),
                            one.text("kind"),
                            one.text("to"),
                            users.isEmpty() ? null : users,
                            one.texts("events"),
                            one.text("state"),
                            one.textOrNull("last_delivered_at"),
                            one.number("waiting"),
                            one.textOrNull("last_error")));
        }
        return receivers;
    }

    public static ReceiverTest test(@Nullable Object json) {
        Fields test = Fields.of(json);
        return new ReceiverTest(test.isTrue("delivered"), test.text("detail"));
    }
}
