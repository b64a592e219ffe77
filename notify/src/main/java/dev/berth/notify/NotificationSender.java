package dev.berth.notify;

import dev.berth.config.receiver.ChannelKind;
import dev.berth.config.receiver.MailServer;
import dev.berth.config.receiver.Receiver;
import dev.berth.json.WireJson;

import java.time.InstantSource;
import java.util.Optional;

/** Sends a notification to a receiver, once. */
final class NotificationSender implements AutoCloseable {

    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_MANY_REQUESTS = 429;

    private final Optional<MailServer> mailbox;
    private final ConnectionSettings settings;
    private final HttpPost http;
    private final InstantSource clock;

    NotificationSender(
            Optional<MailServer> mailbox, ConnectionSettings settings, InstantSource clock) {
        this.mailbox = mailbox;
        this.settings = settings;
        this.http = new HttpPost(settings);
        this.clock = clock;
    }

    /**
     * @return a description of the result
     */
    String send(Receiver receiver, Notification note) throws DeliveryException {
        try {
            return receiver.channel().kind() == ChannelKind.MAIL
                    ? sendMail(receiver.channel(), note)
                    : sendHttp(receiver.channel(), note);
        } catch (DeliveryException e) {
            throw new DeliveryException(receiver.channel().redact(e.reason()), e.isPermanent());
        }
    }

    private String sendMail(Receiver.Channel way, Notification note) throws DeliveryException {
        var box = mailbox.orElseThrow(() -> new DeliveryException("no mail server is set"));
        var mail = MailFormat.message(note, box.sender(), way.to(), clock.instant());
        var refused = SmtpSession.send(box, way.to(), mail, settings);
        return "the mail server took it"
                + (refused.isEmpty() ? "" : ", but not for " + String.join(", ", refused));
    }

    private String sendHttp(Receiver.Channel way, Notification note) throws DeliveryException {
        var chat = ChatFormat.of(way.kind());
        var request = chat.request(way, note, clock.instant());
        var answer = http.send(request.url(), WireJson.write(request.json()));
        var status = "answered " + answer.status();
        if (answer.status() / 100 == 3) {
            throw new DeliveryException(status + ", a redirect, which is not followed");
        }
        if (answer.status() / 100 != 2) {
            var why = chat.refusalReason(answer.text());
            throw new DeliveryException(
                    status + why.map(words -> " (" + words + ")").orElse(""),
                    isPermanent(answer.status()));
        }
        var complaint = chat.refusalReason(answer.text());
        if (complaint.isPresent()) {
            throw new DeliveryException(status + ", but did not take it: " + complaint.get());
        }
        return status;
    }

    /** A message that is refused stays refused, unlike one to a busy receiver. */
    private static boolean isPermanent(int status) {
        return status / 100 == 4 && status != REQUEST_TIMEOUT && status != TOO_MANY_REQUESTS;
    }

    @Override
    public void close() {
        http.close();
    }
}
