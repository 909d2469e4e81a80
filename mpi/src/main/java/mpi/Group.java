package mpi;

import io.verbena.messaging.channel.MessagingException;
import java.util.Arrays;
import java.util.stream.IntStream;

/** An ordered set of ranks (MPI_Group). */
public final class Group {

    private final io.verbena.messaging.Group ranks;

    Group(io.verbena.messaging.Group ranks) {
        this.ranks = ranks;
    }

    io.verbena.messaging.Group ranks() {
        return ranks;
    }

    public int getSize() {
        return ranks.size();
    }

    /** Rank of this process in the group; UNDEFINED if it is no member. */
    public int getRank() throws MPIException {
        int rank = ranks.rankOf(MPI.COMM_WORLD.getRank());
        return rank == io.verbena.messaging.Group.NONE ? MPI.UNDEFINED : rank;
    }

    /** The ranks that some ranks of a group have in another one. */
    public static int[] translateRanks(Group group1, int[] ranks1, Group group2) {
        return Arrays.stream(ranks1)
                .map(rank -> rank == MPI.PROC_NULL ? rank : group2.ranks.rankOf(group1.ranks.world(rank)))
                .map(rank -> rank == io.verbena.messaging.Group.NONE ? MPI.UNDEFINED : rank)
                .toArray();
    }

    public static int compare(Group group1, Group group2) {
        if (group1.ranks.equals(group2.ranks)) {
            return MPI.IDENT;
        }
        boolean similar = group1.getSize() == group2.getSize()
                && group1.ranks.intersection(group2.ranks).size() == group1.getSize();
        return similar ? MPI.SIMILAR : MPI.UNEQUAL;
    }

    public static Group union(Group group1, Group group2) {
        return new Group(group1.ranks.union(group2.ranks));
    }

    public static Group intersection(Group group1, Group group2) {
        return new Group(group1.ranks.intersection(group2.ranks));
    }

    public static Group difference(Group group1, Group group2) {
        return new Group(group1.ranks.difference(group2.ranks));
    }

    public Group incl(int[] members) throws MPIException {
        try {
            return new Group(ranks.include(members));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | MessagingException e) {
            throw new MPIException(MPI.ERR_RANK, e.getMessage() + "");
        }
    }

    public Group excl(int[] left) throws MPIException {
        try {
            return new Group(ranks.exclude(left));
        } catch (IndexOutOfBoundsException e) {
            throw new MPIException(MPI.ERR_RANK, e.getMessage() + "");
        }
    }

    /** The members of ranges, each of which is its first rank, its last rank and the step between. */
    public Group rangeIncl(int[][] ranges) throws MPIException {
        return incl(members(ranges));
    }

    /** The members that are not in these ranges. */
    public Group rangeExcl(int[][] ranges) throws MPIException {
        return excl(members(ranges));
    }

    private int[] members(int[][] ranges) throws MPIException {
        IntStream.Builder members = IntStream.builder();
        for (int[] range : ranges) {
            if (range.length != 3 || range[2] == 0) {
                throw new MPIException(
                        MPI.ERR_ARG, "a range is a first rank, a last one and a step, not " + Arrays.toString(range));
            }
            int count = (range[1] - range[0]) / range[2] + 1;
            if (count > getSize()) {
                throw new MPIException(MPI.ERR_RANK, "the group has no ranks " + Arrays.toString(range));
            }
            for (int i = 0; i < count; i++) {
                members.add(range[0] + i * range[2]);
            }
        }
        return members.build().toArray();
    }

    public void free() throws MPIException {}

    public boolean isNull() {
        return false;
    }
}
