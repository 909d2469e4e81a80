package io.verbena.tools.fabric.command;

import io.verbena.fabric.link.LaneTables;
import io.verbena.fabric.link.LaneTables.Isochronous;
import io.verbena.fabric.link.LaneTables.Weight;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The arguments that say how lanes share a link. */
final class LaneArguments {

    private static final Pattern ISOCHRONOUS = Pattern.compile("(\\d{1,2}):(\\d{1,6})/(\\d{1,6})us");
    private static final Pattern WEIGHT = Pattern.compile("(high|low):(\\d{1,2}):(\\d{1,3})");
    private static final long TICKS_PER_MICROSECOND = 1_000_000 / LinkTiming.PICOSECONDS_PER_TICK;

    @Option(
            names = "--isochronous",
            paramLabel = "LANE:FLITS/TIME",
            description = "A lane sends a number of flits in every period before all other lanes, and no more:"
                    + " 1:8/2us. May be repeated.")
    private List<String> isochronous = new ArrayList<>();

    @Option(
            names = "--arbitration",
            split = ",",
            paramLabel = "TABLE:LANE:FLITS",
            description = "Entries of the two tables by which lanes share a link: high:0:4,low:1:2. Default: lanes take"
                    + " turns.")
    private List<String> arbitration = new ArrayList<>();

    /**
     * Links with these tables.
     *
     * @throws IllegalArgumentException if an argument is not valid
     */
    LinkSettings of(LinkSettings link) {
        if (isochronous.isEmpty() && arbitration.isEmpty()) {
            return link;
        }
        return link.withTables(new LaneTables(
                weights("high", link.lanes()),
                weights("low", link.lanes()),
                LaneTables.UNLIMITED,
                streams(link.lanes())));
    }

    private List<Weight> weights(String table, int lanes) {
        List<Weight> weights = new ArrayList<>();
        for (String entry : arbitration) {
            Matcher match = WEIGHT.matcher(entry);
            check(match.matches(), "--arbitration '" + entry + "' is not a table, a lane and flits: high:0:4");
            lane("--arbitration", Integer.parseInt(match.group(2)), lanes);
            if (match.group(1).equals(table)) {
                weights.add(new Weight(Integer.parseInt(match.group(2)), Integer.parseInt(match.group(3))));
            }
        }
        return weights;
    }

    private List<Isochronous> streams(int lanes) {
        List<Isochronous> streams = new ArrayList<>();
        for (String entry : isochronous) {
            Matcher match = ISOCHRONOUS.matcher(entry);
            check(match.matches(), "--isochronous '" + entry + "' is not a lane, flits and a period: 1:8/2us");
            lane("--isochronous", Integer.parseInt(match.group(1)), lanes);
            streams.add(new Isochronous(Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)), (int)
                    (Integer.parseInt(match.group(3)) * TICKS_PER_MICROSECOND)));
        }
        return streams;
    }

    private static void check(boolean valid, String problem) {
        if (!valid) {
            throw new IllegalArgumentException(problem);
        }
    }

    private static void lane(String option, int lane, int lanes) {
        check(
                lane < lanes,
                option + " names lane " + lane + "; the links have lanes 0 to " + (lanes - 1) + ", see --lanes");
    }
}
