package dev.berth.slurm;

import dev.berth.core.id.AttemptId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * Lists the jobs of attempts. With {@code PrivateData=jobs} Slurm shows a job to its owner and to
 * operators only, and a hidden job looks like one that Slurm has forgotten. Jobs of other users are
 * then listed as these users.
 */
final class JobLists {

    private static final Logger log = LoggerFactory.getLogger(JobLists.class);
    private static final Duration SETTINGS_INTERVAL = Duration.ofMinutes(1);

    private final SlurmClient client;
    private final JobOwners owners;
    private final InstantSource clock;
    private boolean hidesJobs;
    private Instant nextSettings = Instant.MIN;

    JobLists(SlurmClient client, JobOwners owners, InstantSource clock) {
        this.client = client;
        this.owners = owners;
        this.clock = clock;
    }

    /**
     * @param attempts one of each owner, by uid; empty if all jobs belong to the user of this
     *     process
     */
    List<SlurmJob> read(SortedMap<Integer, AttemptId> attempts) throws SlurmFailure {
        if (attempts.isEmpty() || !hidesJobs()) {
            return client.jobs(new TreeSet<>(attempts.keySet()));
        }
        var jobs = new ArrayList<SlurmJob>();
        for (var entry : attempts.entrySet()) {
            try {
                var owner = owners.of(entry.getValue(), entry.getKey());
                if (owner.isPresent()) {
                    jobs.addAll(client.jobs(owner.get()));
                }
            } catch (SlurmFailure failure) {
                if (!failure.isRefusal()) {
                    throw failure;
                }
                // To take its jobs for forgotten ones is safe: they cannot start any more.
                log.warn(
                        "the jobs of uid {} cannot be listed: {}",
                        entry.getKey(),
                        failure.reason());
            }
        }
        return jobs;
    }

    private boolean hidesJobs() throws SlurmFailure {
        var now = clock.instant();
        if (!now.isBefore(nextSettings)) {
            hidesJobs = client.settings().hidesJobs();
            nextSettings = now.plus(SETTINGS_INTERVAL);
        }
        return hidesJobs;
    }
}
