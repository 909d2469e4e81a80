package io.verbena.messaging;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An ordered set of ranks (MPI_Group). The ranks of a group are numbered from 0; each is a rank of the job. Immutable. */
public final class Group {

    /** Stands for no rank (MPI_UNDEFINED). */
    public static final int NONE = -1;

    private final int[] world;
    private final BitSet members = new BitSet();
    private int @Nullable [] local; // by rank of the job, made on first use

    private Group(int[] world) {
        this.world = world;
        for (int rank : world) {
            members.set(rank);
        }
    }

    /** All ranks of a job. */
    static Group all(int size) {
        return new Group(IntStream.range(0, size).toArray());
    }

    /**
     * A group of these ranks of the job.
     *
     * @throws IllegalArgumentException if a rank is negative or named twice
     */
    public static Group of(int... worldRanks) {
        BitSet seen = new BitSet();
        for (int rank : worldRanks) {
            if (rank < 0 || seen.get(rank)) {
                throw new IllegalArgumentException(
                        "rank " + rank + (rank < 0 ? " is negative" : " is named twice in a group"));
            }
            seen.set(rank);
        }
        return new Group(worldRanks.clone());
    }

    /** Number of ranks. */
    public int size() {
        return world.length;
    }

    /** Rank in the job of a rank of this group. */
    public int world(int rank) {
        return world[rank];
    }

    /** Rank in this group of a rank of the job; {@link #NONE} if it is not a member. */
    public int rankOf(int worldRank) {
        int[] found = local;
        if (found == null) {
            found = new int[members.length()];
            Arrays.fill(found, NONE);
            for (int i = 0; i < world.length; i++) {
                found[world[i]] = i;
            }
            local = found;
        }
        return worldRank >= 0 && worldRank < found.length ? found[worldRank] : NONE;
    }

    /** Returns whether a rank of the job is a member. */
    public boolean contains(int worldRank) {
        return worldRank >= 0 && members.get(worldRank);
    }

    /** Those of a set of ranks of the job that are members. */
    BitSet among(BitSet ranks) {
        BitSet found = (BitSet) ranks.clone();
        found.and(members);
        return found;
    }

    /** Those of some ranks of the job that are members, as ranks of this group. */
    List<Integer> among(List<Integer> ranks) {
        return ranks.stream().map(this::rankOf).filter(rank -> rank != NONE).toList();
    }

    /** The group of some ranks of this one, in this order (MPI_Group_incl). */
    public Group include(int... ranks) {
        int[] chosen = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            chosen[i] = world[Objects.checkIndex(ranks[i], world.length)];
        }
        return of(chosen);
    }

    /** The group without some ranks of it (MPI_Group_excl). */
    public Group exclude(int... ranks) {
        BitSet left = new BitSet();
        for (int rank : ranks) {
            left.set(Objects.checkIndex(rank, world.length));
        }
        return new Group(IntStream.range(0, world.length)
                .filter(i -> !left.get(i))
                .map(i -> world[i])
                .toArray());
    }

    /** The ranks of this group, then those of the other one that are not in this one (MPI_Group_union). */
    public Group union(Group other) {
        return new Group(IntStream.concat(
                        Arrays.stream(world), Arrays.stream(other.world).filter(rank -> !contains(rank)))
                .toArray());
    }

    /** The ranks of this group that are also in the other one (MPI_Group_intersection). */
    public Group intersection(Group other) {
        return new Group(Arrays.stream(world).filter(other::contains).toArray());
    }

    /** The ranks of this group that are not in the other one (MPI_Group_difference). */
    public Group difference(Group other) {
        return new Group(
                Arrays.stream(world).filter(rank -> !other.contains(rank)).toArray());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Group that && Arrays.equals(world, that.world);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(world);
    }

    @Override
    public String toString() {
        return "ranks " + Arrays.toString(world);
    }
}
