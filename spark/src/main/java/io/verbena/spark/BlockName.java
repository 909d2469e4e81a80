package io.verbena.spark;

/**
 * What the name of a shuffle block says: {@code shuffle_SHUFFLE_MAP_PARTITION}, or {@code shuffle_SHUFFLE_MAP_FIRST_END} for several
 * partitions.
 *
 * @param name the name
 * @param shuffle identification of the shuffle
 * @param map identification of the map task
 * @param first the first partition
 * @param end the partition after the last one
 */
record BlockName(String name, int shuffle, long map, int first, int end) {

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException if it is not that of a shuffle block
     */
    static BlockName of(String name) {
        String[] part = name.split("_", -1);
        if (!part[0].equals("shuffle") || part.length < 4 || part.length > 5) {
            throw new IllegalArgumentException("not a block of a shuffle: " + name);
        }
        try {
            int first = Integer.parseInt(part[3]);
            int end = part.length == 5 ? Integer.parseInt(part[4]) : first + 1;
            return new BlockName(name, Integer.parseInt(part[1]), Long.parseLong(part[2]), first, end);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a block of a shuffle: " + name, e);
        }
    }
}
