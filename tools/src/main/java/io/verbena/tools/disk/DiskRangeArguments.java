package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.UsageProblem;
import picocli.CommandLine.Option;

/** A part of a disk, in bytes. */
final class DiskRangeArguments {
    @Option(
            names = "--disk",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of the disk. Default: ${DEFAULT-VALUE}.")
    private int number = 1;

    @Option(
            names = "--offset",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "0",
            description = "First byte of the disk. Default: ${DEFAULT-VALUE}.")
    private long offsetBytes;

    int number() throws UsageProblem {
        DiskServerArguments.checkNumber(number, 1);
        return number;
    }

    /** The first byte, which is within the disk. */
    long offset(long diskBytes) throws UsageProblem {
        check(
                offsetBytes < diskBytes,
                "--offset must be within the disk of " + diskBytes + " bytes, not " + offsetBytes);
        return offsetBytes;
    }
}
