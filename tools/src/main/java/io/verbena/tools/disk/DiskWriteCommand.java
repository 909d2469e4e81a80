package io.verbena.tools.disk;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code verbena disk write}: a file onto a disk. */
@Command(
        name = "write",
        customSynopsis = "verbena disk write [OPTIONS] HOST[:PORT] FILE|-",
        description = {
            "Copy a file or standard input onto a disk, and flush the disk. What was there is overwritten. Do not write to a"
                    + " disk that a host has mounted.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk write 192.0.2.7 image.img"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is on the medium", "1:it is not", "2:wrong arguments"})
public final class DiskWriteCommand extends FiguresCommand {
    private static final int CHUNK_BYTES = 1 << 20;

    private final StopSignal stop;

    @Mixin
    private DiskHostArguments host = new DiskHostArguments();

    @Parameters(index = "1", paramLabel = "FILE", description = "The file; - for standard input.")
    private String file = "";

    @ArgGroup(validate = false, heading = "%nPart:%n")
    private DiskRangeArguments part = new DiskRangeArguments();

    public DiskWriteCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        try (InputStream in = file.equals("-") ? System.in : Files.newInputStream(Path.of(file));
                DiskClient client = host.connect(terminal)) {
            Disk disk = DiskHostArguments.disk(client, part.number());
            try (SeekableByteChannel channel = disk.channel()) {
                long startNs = System.nanoTime();
                long done = copy(in, channel.position(part.offset(channel.size())), startNs);
                disk.flush().join();
                long spanNs = System.nanoTime() - startNs;
                figures.put("bytes", done).put("bytesPerSecond", Figures.rate(done, spanNs));
            }
        }
        return true;
    }

    private long copy(InputStream from, SeekableByteChannel to, long startNs) throws Exception {
        long total = file.equals("-") ? 0 : Files.size(Path.of(file));
        long left = to.size() - to.position();
        if (total > left) {
            throw new Failure("The file '" + file + "' has " + total + " bytes, more than the " + left
                    + " bytes of the disk from --offset on: nothing was written");
        }
        ProgressBar bar = terminal.bar(stop, json, "Writing", total);
        byte[] chunk = new byte[CHUNK_BYTES];
        long done = 0;
        for (int count = from.readNBytes(chunk, 0, CHUNK_BYTES);
                count > 0;
                count = from.readNBytes(chunk, 0, CHUNK_BYTES)) {
            stop.check();
            ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
            done += count;
            bar.updateBytes(done, startNs);
        }
        bar.finish(
                Figures.bytes(done) + ", " + Figures.bytesPerSecond(Figures.rate(done, System.nanoTime() - startNs)));
        return done;
    }
}
