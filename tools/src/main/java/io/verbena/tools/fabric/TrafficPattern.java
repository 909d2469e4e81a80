package io.verbena.tools.fabric;

import io.verbena.base.RandomSource;
import io.verbena.fabric.traffic.Pattern;
import java.util.List;
import java.util.Locale;

/** The traffic patterns of the command line. */
public enum TrafficPattern {
    /** Each frame to any other endnode. */
    UNIFORM {
        @Override
        public Pattern of(int nodes, List<Integer> sides, RandomSource random) {
            return Pattern.uniform(nodes);
        }
    },
    /** Every endnode to one other. */
    PERMUTATION {
        @Override
        public Pattern of(int nodes, List<Integer> sides, RandomSource random) {
            return Pattern.permutation(nodes, random);
        }
    },
    /** Almost half way round each dimension. */
    TORNADO {
        @Override
        public Pattern of(int nodes, List<Integer> sides, RandomSource random) {
            return Pattern.tornado(sides.stream().mapToInt(Integer::intValue).toArray());
        }
    },
    /** All to the first endnode. */
    INCAST {
        @Override
        public Pattern of(int nodes, List<Integer> sides, RandomSource random) {
            return Pattern.incast(0);
        }
    },
    /** Everybody to everybody in turn. */
    ALL_TO_ALL {
        @Override
        public Pattern of(int nodes, List<Integer> sides, RandomSource random) {
            return Pattern.allToAll(nodes);
        }
    };

    /** The pattern between a number of endnodes. */
    public abstract Pattern of(int nodes, List<Integer> sides, RandomSource random);

    /** The name as it is written on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
