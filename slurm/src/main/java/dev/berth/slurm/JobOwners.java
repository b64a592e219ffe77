package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.RunAs;
import dev.berth.port.Node;
import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.util.Optional;

/**
 * To whom the jobs of attempts belong.
 *
 * @param accounts empty if all jobs belong to the user of this process
 */
record JobOwners(Optional<Accounts> accounts, AttemptFiles files) {

    /** The owner of an attempt that is submitted. */
    Optional<JobOwner> of(Node.Launch launch) {
        // The shell of the submit is in its script already.
        return accounts.flatMap(_ -> launch.spec().script().text().runAs())
                .map(account -> new RunAs(account.user(), account.uid(), Optional.empty()))
                .map(account -> new JobOwner(launch.attempt().id(), account));
    }

    /** The owner of an attempt whose directory is prepared. */
    Optional<JobOwner> of(AttemptId attempt) throws SlurmFailure {
        var uid = files.owner(attempt);
        return uid.isPresent() ? of(attempt, uid.getAsInt()) : Optional.empty();
    }

    /** The owner of a job that Slurm lists for an attempt. */
    Optional<JobOwner> of(AttemptId attempt, int uid) throws SlurmFailure {
        if (accounts.isEmpty()) {
            return Optional.empty();
        }
        try {
            var account = accounts.get().withUid(uid);
            if (account.isEmpty()) {
                throw SlurmFailure.forbidden(
                        "no account has the uid " + Integer.toUnsignedString(uid));
            }
            return Optional.of(
                    new JobOwner(attempt, new RunAs(account.get().name(), uid, Optional.empty())));
        } catch (IOException failure) {
            throw SlurmFailure.unreachable(String.valueOf(failure.getMessage()));
        }
    }
}
