package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.disk.DiskRequest.SubsystemPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of a disk that is served. */
final class DiskArguments {
    private static final int MOST_NAME_BYTES = 223;

    @Option(
            names = "--nqn",
            paramLabel = "NAME",
            defaultValue = "",
            description =
                    "Name of the subsystem, such as nqn.2026-01.org.example:backup. Default: one from the names of"
                            + " this host and the file.")
    private String nqn = "";

    @Option(
            names = "--allow",
            paramLabel = "HOSTNQN",
            description =
                    "Only the host with this name may connect (/etc/nvme/hostnqn there). May be repeated. Default:"
                            + " every host. The name is a claim of the host, not a proof.")
    private List<String> allowed = new ArrayList<>();

    @Option(names = "--read-only", description = "Hosts cannot write. Several servers may then serve one file.")
    private boolean readOnly;

    @Option(
            names = "--no-write-cache",
            description = "Every write is on the medium before it completes, and hosts send no flush. Slower.")
    private boolean noWriteCache;

    @Option(
            names = "--block",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "512",
            description = "Bytes per block: 512, 1024, 2048 or 4096. Default: ${DEFAULT-VALUE}.")
    private long blockBytes = 512;

    @Option(
            names = "--fault",
            paramLabel = "FAULT",
            description = "Inject a fault: KIND[@BLOCK[+COUNT]][*TIMES] or delay=MILLISECONDS. KIND is read-error,"
                    + " write-error, torn-write, no-space, lost-flush or flush-error. May be repeated.")
    private List<String> faults = new ArrayList<>();

    @Option(
            names = "--record",
            paramLabel = "FILE",
            description = "Record every change of the disk in a new file, for a replay up to any point.")
    private Optional<Path> record = Optional.empty();

    /** The subsystem that the disk is in. */
    SubsystemPlan subsystem() throws UsageProblem {
        checkName("--nqn", nqn, true);
        for (String host : allowed) {
            checkName("--allow", host, false);
        }
        return new SubsystemPlan(nqn, Set.copyOf(allowed), !noWriteCache);
    }

    /** Checks the name of a subsystem or host. */
    static void checkName(String option, String name, boolean mayBeEmpty) throws UsageProblem {
        boolean form = name.matches("nqn\\.\\d{4}-\\d{2}\\.[!-~]+") && name.length() <= MOST_NAME_BYTES;
        check(
                form || mayBeEmpty && name.isEmpty(),
                option + " must be a name such as nqn.2026-01.org.example:disk of at most " + MOST_NAME_BYTES
                        + " characters, not '" + name + "'");
    }

    /** How to open the disk of this text. */
    DiskPlan plan(String text) throws UsageProblem {
        check(
                blockBytes >= 512 && blockBytes <= 4096 && Long.bitCount(blockBytes) == 1,
                "--block must be 512, 1024, 2048 or 4096, not " + blockBytes);
        try {
            DiskFaults.parse(faults);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem("--fault: " + e.getMessage());
        }
        try {
            DiskSpec spec = DiskSpec.parse(text, new ByteSize()::convert);
            check(
                    spec.sizeBytes().orElse(blockBytes) >= blockBytes,
                    "The size of a disk must be at least a block, not '" + text + "'");
            check(
                    !readOnly || spec.sizeBytes().isEmpty() || spec.inMemory(),
                    "A read-only disk has the size of its file: leave the size out of '" + text + "'");
            return new DiskPlan(spec, (int) blockBytes, readOnly, faults, record);
        } catch (TypeConversionException | IllegalArgumentException e) {
            throw new UsageProblem("FILE: " + e.getMessage());
        }
    }

    /** Whether there is a record, which one disk only can have. */
    boolean recorded() {
        return record.isPresent();
    }
}
