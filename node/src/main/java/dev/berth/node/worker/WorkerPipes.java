package dev.berth.node.worker;

import dev.berth.node.linux.Fifo;
import dev.berth.node.linux.PosixAcl;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The FIFOs between the server and a worker, in the directory of its attempt. If the server dies,
 * the worker reads the end of its input.
 */
public record WorkerPipes(Path directory) {

    private Path input() {
        return directory.resolve("worker.in");
    }

    private Path output() {
        return directory.resolve("worker.out");
    }

    /**
     * @param owner the uid of the worker, if it is not this process's own
     */
    public void create(Optional<Integer> owner) throws IOException {
        Fifo.create(input());
        Fifo.create(output());
        if (owner.isPresent()) {
            new PosixAcl(owner.get(), PosixAcl.READ).set(input(), false);
            new PosixAcl(owner.get(), PosixAcl.WRITE).set(output(), false);
        }
    }

    /** The command with the FIFOs as its input and output; its errors go to the log. */
    public String redirect(String command) {
        return "exec <" + quoted(input()) + " >" + quoted(output()) + "\n" + command;
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }

    /** Waits until the worker opens its end. */
    InputStream openOutput() throws IOException {
        return new FileInputStream(output().toFile());
    }

    /** Waits until the worker opens its end. */
    OutputStream openInput() throws IOException {
        return new FileOutputStream(input().toFile());
    }

    /** Ends the waits of threads that open the FIFOs of a worker that has ended. */
    void unblock() {
        for (var pipe : new Path[] {input(), output()}) {
            if (Files.exists(pipe)) {
                try (var both = new RandomAccessFile(pipe.toFile(), "rw")) {
                    both.getFD();
                } catch (IOException ignored) {
                    // The directory is gone, and so is the FIFO.
                }
            }
        }
    }
}
