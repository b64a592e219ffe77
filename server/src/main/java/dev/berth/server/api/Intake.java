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
        var granted = take(call, List.of(entry), hash);
        var words = new TaskWords(desk);
        var id = granted.task();
        if (granted.repeated()) {
            return Answer.ok(words.detail(desk.find(id))).with("Location", "/api/tasks/" + id);
        }
        // The engine's memory saves a look into the store, unless the task is over already.
        var live = desk.engine().state().tasks().get(id);
        var task = live.isPresent() ? live.get() : desk.find(id).task();
        return Answer.of(201, words.asSubmitted(task, entry.isDraft()))
                .with("Location", "/api/tasks/" + id);
    }

    /** All of them or none. */
    Reply.Granted take(Call call, List<Command.Entry> entries, String hash) throws Refused {
        return desk.grant(
                new Command.Submit(
                        desk.engine().now(),
                        call.caller().owner(),
                        entries,
                        SubmitKeys.of(call, hash)));
    }
}
