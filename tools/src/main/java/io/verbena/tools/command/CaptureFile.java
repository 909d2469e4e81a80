package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file of a capture. Checked before a command begins its work, and after its end. */
final class CaptureFile {

    /** The block that ends a capture (pcapng section 4.6, Interface Statistics), and the bytes of its type and length. */
    private static final int STATISTICS = 5;

    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int LEAST_BLOCK_BYTES = 12;

    private CaptureFile() {}

    /** The name of a file that can be written. */
    static String checked(Path file) throws Failure {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new Failure("Cannot write the capture to '" + file + "', which is a folder: name a file in it");
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Failure("Cannot write the capture to '" + file + "': there is no folder '" + folder + "'");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new Failure("Cannot write the capture to '" + file + "': permission denied");
        }
        return file.toString();
    }

    /**
     * Fails if the file lacks its last block: an RNIC goes on without a capture that cannot be written any more, and only logs why.
     * Without a file no RNIC was opened.
     */
    static void checkComplete(Path file) throws Failure {
        if (!Files.exists(file)) {
            return;
        }
        boolean complete = false;
        try (FileChannel channel = FileChannel.open(file)) {
            int length = number(channel, channel.size() - LENGTH_BYTES);
            complete = length >= LEAST_BLOCK_BYTES && number(channel, channel.size() - length) == STATISTICS;
        } catch (IOException e) {
            throw new Failure("Cannot read the capture '" + file + "' that was written: " + Problems.sentence(e), e);
        }
        if (!complete) {
            throw new Failure(
                    "The capture '" + file + "' is incomplete, because the file could not be written to its end:"
                            + " name a file on a disk with free space, or set --capture-limit");
        }
    }

    /** 0 outside of the file. */
    private static int number(FileChannel channel, long offset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        return offset >= 0 && channel.read(bytes, offset) == Integer.BYTES ? bytes.getInt(0) : 0;
    }
}
