package dev.berth.server.api;

import dev.berth.engine.Command;
import dev.berth.engine.Reply;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Refused;

import java.util.List;

/** Takes tasks in, whichever route they come by. */
record Intake(Desk desk) {

    /** One task, shown as it was taken in. */
    Answer one(Call call, Command.Entry entry, String hash) throws Refused, StoreFailure {
        var granted =
                desk.grant(
                        new Command.Submit(
                                desk.engine().now(),
                                call.caller().owner(),
                                entry,
                                SubmitKeys.of(call, hash)));
        var words = new TaskWords(desk);
        var id = granted.task();
        if (granted.repeated()) {
            return Answer.ok(words.detail(desk.find(id))).with("Location", "/api/tasks/" + id);
        }
        return Answer.of(201, words.asSubmitted(desk.task(id), entry.isDraft()))
                .with("Location", "/api/tasks/" + id);
    }

    /** All of them or none. */
    Reply.Granted batch(Call call, List<Command.Entry> entries, String hash) throws Refused {
        return desk.grant(
                new Command.Submit(
                        desk.engine().now(),
                        call.caller().owner(),
                        entries,
                        true,
                        SubmitKeys.of(call, hash)));
    }
}
