package dev.berth.app.doctor;

import dev.berth.port.StoreFailure;
import dev.berth.store.BackupFiles;
import dev.berth.store.Database;
import dev.berth.store.DeepCheck;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The checks of the database and its backups.
 *
 * @param backups the directory of the backups
 */
record DatabaseChecks(Path file, Path backups) {

    private static final int SHOWN_DAMAGE = 20;

    List<DoctorFinding> usual() {
        return List.of(structure(), listed());
    }

    /** Verifies every row, which takes some seconds for a large database. */
    List<DoctorFinding> deep(DeepCheck.Progress progress) {
        var findings = new ArrayList<DoctorFinding>();
        findings.addAll(rows(progress));
        findings.add(listed());
        return findings;
    }

    private DoctorFinding structure() {
        if (!Files.exists(file)) {
            return none();
        }
        try {
            Database.check(file);
            return DoctorFinding.ok("database", file.toString());
        } catch (HomeRefused refused) {
            return refused(refused);
        } catch (StoreFailure failure) {
            return unreadable(failure);
        }
    }

    private DoctorFinding none() {
        return DoctorFinding.ok("database", "none yet; the first start creates " + file);
    }

    private static DoctorFinding refused(HomeRefused refused) {
        return DoctorFinding.wrong("database", String.valueOf(refused.getMessage()), "see above");
    }

    private static DoctorFinding unreadable(StoreFailure failure) {
        return DoctorFinding.wrong(
                "database", String.valueOf(failure.getMessage()), "check the disk and its rights");
    }

    private List<DoctorFinding> rows(DeepCheck.Progress progress) {
        if (!Files.exists(file)) {
            return List.of(none());
        }
        try {
            var report = DeepCheck.run(file, progress);
            return report.isSound() ? List.of(sound(report)) : damaged(report);
        } catch (HomeRefused refused) {
            return List.of(refused(refused));
        } catch (StoreFailure failure) {
            return List.of(unreadable(failure));
        }
    }

    private DoctorFinding sound(DeepCheck.Report report) {
        var text = "%s: %d rows match their checksums".formatted(file, report.rows());
        return report.withoutChecksum() == 0
                ? DoctorFinding.ok("database", text)
                : DoctorFinding.note(
                        "database",
                        "%s: %d rows, %d of an earlier version have no checksum yet: a running server adds them"
                                .formatted(file, report.rows(), report.withoutChecksum()));
    }

    private List<DoctorFinding> damaged(DeepCheck.Report report) {
        var findings = new ArrayList<DoctorFinding>();
        report.damage().stream()
                .limit(SHOWN_DAMAGE)
                .forEach(what -> findings.add(DoctorFinding.wrong("database", what, "")));
        findings.add(
                DoctorFinding.wrong(
                        "database",
                        "%s is damaged in %s%d place(s)"
                                .formatted(
                                        file,
                                        report.damage().size() >= DeepCheck.MAX_DAMAGE
                                                ? "at least "
                                                : "",
                                        report.damage().size()),
                        "stop the server, copy "
                                + file
                                + "* to another place, and restore a"
                                + " backup: berth recover --from FILE"));
        return findings;
    }

    private DoctorFinding listed() {
        try {
            var files = new BackupFiles(backups).list();
            if (files.isEmpty()) {
                return DoctorFinding.ok("backups", "none yet in " + backups);
            }
            var newest = files.getFirst();
            return DoctorFinding.ok(
                    "backups",
                    String.format(
                            Locale.ROOT,
                            "%d in %s, the newest %s of %s",
                            files.size(),
                            backups,
                            newest.file().getFileName(),
                            newest.at()));
        } catch (IOException failure) {
            return DoctorFinding.wrong(
                    "backups", String.valueOf(failure.getMessage()), "check the rights");
        }
    }
}
