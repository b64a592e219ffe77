package dev.berth.server.message;

import dev.berth.server.http.Json;

import java.time.InstantSource;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/** Brings a note to a receiver, once. */
final class Post {

    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_MANY_REQUESTS = 429;

    private final Optional<Mailbox> mailbox;
    private final Connection.Means means;
    private final InstantSource clock;

    Post(Optional<Mailbox> mailbox, Patience patience, SSLContext tls, InstantSource clock) {
        this.mailbox = mailbox;
        this.means = new Connection.Means(patience, tls);
        this.clock = clock;
    }

    /**
     * @return in words, what became of it
     */
    String deliver(Receiver receiver, Note note) throws Undelivered {
        try {
            return receiver.way().form() == Form.MAIL
                    ? mailed(receiver.way(), note)
                    : posted(receiver.way(), note);
        } catch (Undelivered e) {
            throw new Undelivered(receiver.way().hushed(e.why()), e.isRefused());
        }
    }

    private String mailed(Receiver.Way way, Note note) throws Undelivered {
        var box = mailbox.orElseThrow(() -> new Undelivered("no mail server is set"));
        var mail = Mail.of(note, box.from(), way.to(), clock.instant());
        var refused = Smtp.send(box, way.to(), mail, means);
        return "the mail server took it"
                + (refused.isEmpty() ? "" : ", but not for " + String.join(", ", refused));
    }

    private String posted(Receiver.Way way, Note note) throws Undelivered {
        var chat = Chat.of(way.form());
        var letter = chat.letter(way, note, clock.instant());
        var answer = HttpPost.send(letter.url(), Json.write(letter.json()), means);
        var status = "answered " + answer.status();
        if (answer.status() / 100 == 3) {
            throw new Undelivered(status + ", a redirect, which is not followed");
        }
        if (answer.status() / 100 != 2) {
            var why = chat.complaint(answer.text());
            throw new Undelivered(
                    status + why.map(words -> " (" + words + ")").orElse(""),
                    isForGood(answer.status()));
        }
        var complaint = chat.complaint(answer.text());
        if (complaint.isPresent()) {
            throw new Undelivered(status + ", but did not take it: " + complaint.get());
        }
        return status;
    }

    /** What is wrong with the message stays wrong, unlike a receiver that is busy. */
    private static boolean isForGood(int status) {
        return status / 100 == 4 && status != REQUEST_TIMEOUT && status != TOO_MANY_REQUESTS;
    }
}
