package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena disk read}: a part of a disk into a file. */
@Command(
        name = "read",
        customSynopsis = "verbena disk read [OPTIONS] HOST[:PORT] FILE|-",
        description = {"Copy a disk, or a part of it, into a file or to standard output.", ""},
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk read 192.0.2.7 copy.img", "  verbena disk read 192.0.2.7 - --length 512 | hexdump -C"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was copied", "1:it was not", "2:wrong arguments"})
public final class DiskReadCommand extends FiguresCommand {
    private static final int CHUNK_BYTES = 1 << 20;

    private final StopSignal stop;

    @Mixin
    private DiskHostArguments host = new DiskHostArguments();

    @Parameters(index = "1", paramLabel = "FILE", description = "The file; - for standard output.")
    private String file = "";

    @ArgGroup(validate = false, heading = "%nPart:%n")
    private DiskRangeArguments part = new DiskRangeArguments();

    @Option(
            names = "--length",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Bytes to copy. Default: up to the end of the disk.")
    private Optional<Long> lengthBytes = Optional.empty();

    public DiskReadCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(!(json && file.equals("-")), "--json and the bytes cannot both go to standard output: name a file");
        try (DiskClient client = host.connect(terminal);
                SeekableByteChannel channel = open(client)) {
            long offset = part.offset(channel.size());
            long total = Math.min(lengthBytes.orElse(Long.MAX_VALUE), channel.size() - offset);
            long startNs = System.nanoTime();
            try (OutputStream out = file.equals("-") ? terminal.out() : Files.newOutputStream(Path.of(file))) {
                copy(channel.position(offset), Channels.newChannel(out), total, startNs);
            }
            long spanNs = System.nanoTime() - startNs;
            figures.put("bytes", total).put("bytesPerSecond", Figures.rate(total, spanNs));
        }
        return true;
    }

    private SeekableByteChannel open(DiskClient client) throws Exception {
        Disk disk = DiskHostArguments.disk(client, part.number());
        return disk.channel();
    }

    private void copy(SeekableByteChannel from, WritableByteChannel to, long total, long startNs) throws Exception {
        ProgressBar bar = terminal.bar(stop, json, "Reading", total);
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK_BYTES);
        for (long done = 0; done < total; ) {
            stop.check();
            buffer.clear().limit((int) Math.min(CHUNK_BYTES, total - done));
            from.read(buffer);
            done += buffer.flip().remaining();
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
            bar.updateBytes(done, startNs);
        }
        bar.finish(
                Figures.bytes(total) + ", " + Figures.bytesPerSecond(Figures.rate(total, System.nanoTime() - startNs)));
    }
}
