package io.verbena.tools.perf;

import io.verbena.port.faults.PathCuts;
import java.util.List;

/** Paths of a connection that lose every packet. */
public final class PathFaults implements Disturbance {

    private final int paths;
    private final List<PathCut> cuts;
    private final PathCuts faults;

    /**
     * Faults of paths.
     *
     * @param paths number of paths
     * @param cuts what happens to them
     * @param faults of the port that sends
     */
    public PathFaults(int paths, List<PathCut> cuts, PathCuts faults) {
        this.paths = paths;
        this.cuts = List.copyOf(cuts);
        this.faults = faults;
    }

    @Override
    public String option() {
        return "--paths " + paths;
    }

    @Override
    public String subject() {
        return paths + " paths";
    }

    @Override
    public List<Cut> cuts() {
        return cuts.stream()
                .map(it -> new Cut(it.toString(), "Path " + it, it.fromNs(), it.toNs()))
                .toList();
    }

    @Override
    public double rest() {
        return (paths - 1.0) / paths;
    }

    @Override
    public void at(long timeNs) {
        for (PathCut each : cuts) {
            if (each.at(timeNs)) {
                faults.cut(each.path());
            } else if (cuts.stream().noneMatch(it -> it.path() == each.path() && it.at(timeNs))) {
                faults.mend(each.path());
            }
        }
    }
}
