package io.leasehold.jdbc;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A database file, before SQLite opens it: where it may lie, who may read it, whether it is still
 * the same one.
 */
final class SqliteFile {
  /**
   * File systems on which several machines, or several kernels, may see the file, each with locks
   * of its own.
   */
  private static final Set<String> SHARED =
      Set.of(
          """
          nfs nfs4 cifs smb smb2 smb3 smbfs 9p afs afpfs ceph glusterfs lustre gpfs beegfs ocfs2 gfs2
          orangefs pvfs2 virtiofs vboxsf prl_fs vmhgfs ncpfs coda webdav davfs fuse.sshfs
          fuse.glusterfs fuse.ceph fuse.s3fs fuse.rclone fuse.davfs2 fuse.juicefs fuse.vmhgfs-fuse
          fuse.osxfs fuse.grpcfuse fuse.gcsfuse fuse.mount.s3fs\
          """
              .split("\\s+"));

  private final Path path;

  SqliteFile(Path path) {
    this.path = path.toAbsolutePath();
  }

  /**
   * Makes sure that there is a file SQLite may use, which only its owner may read if it was not
   * there before.
   */
  void prepare() {
    Path directory = path.getParent();
    if (directory == null || Files.isDirectory(path)) {
      throw refused("is a directory; name a file in it");
    }
    try {
      Path existing = path;
      while (!Files.exists(existing) && existing.getParent() != null) {
        existing = existing.getParent();
      }
      FileStore store = Files.getFileStore(existing);
      requireLocal(store.type(), store.isReadOnly());
      if (!Files.isWritable(existing)) {
        throw refused(
            "may not be written: access to "
                + existing
                + ", which belongs to "
                + Files.getOwner(existing).getName()
                + ", is denied, or its file system is read-only");
      }
      Files.createDirectories(directory, mode(directory, "rwx------"));
      if (!Files.exists(path)) {
        create(directory);
      }
    } catch (FileAlreadyExistsException e) {
      throw new StoreException(
          Failure.REFUSED, message("cannot be created: " + e.getFile() + " is not a directory"), e);
    } catch (IOException e) {
      throw new StoreException(Failure.UNAVAILABLE, message("cannot be created: " + e), e);
    }
  }

  /** Refuses file systems on which locks would not hold, or nothing can be written. */
  void requireLocal(String fileSystem, boolean isReadOnly) {
    if (SHARED.contains(fileSystem.toLowerCase(Locale.ROOT))) {
      throw refused(
          "lies on a network file system ("
              + fileSystem
              + "), where file locks do not hold reliably; put it on a local disk, or use a server"
              + " such as redis:// for locks between machines");
    }
    if (isReadOnly) {
      throw refused("lies on a file system that is mounted read-only");
    }
  }

  /*
   * The file must never be readable by others, not even for a moment, and closing a file gives up
   * every lock that SQLite holds on it elsewhere in this process (POSIX). So it is made under another
   * name and only linked to its own, which fails if it exists.
   */
  private void create(Path directory) throws IOException {
    Path made =
        directory.resolve(
            "."
                + path.getFileName()
                + "."
                + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    Files.createFile(made, mode(directory, "rw-------"));
    try {
      Files.createLink(path, made);
    } catch (FileAlreadyExistsException e) {
      // Another was faster; its file does as well.
    } catch (UnsupportedOperationException | IOException e) {
      createWithoutLink(directory);
    } finally {
      Files.delete(made);
    }
  }

  private void createWithoutLink(Path directory) throws IOException {
    try {
      Files.createFile(path, mode(directory, "rw-------"));
    } catch (FileAlreadyExistsException e) {
      // Another was faster; its file does as well.
    }
  }

  private static FileAttribute<?>[] mode(Path where, String mode) {
    return where.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
        }
        : new FileAttribute<?>[0];
  }

  /** For the driver; written so that no character of the path has a meaning. */
  String url() {
    return "jdbc:sqlite:" + path.toUri().toASCIIString();
  }

  /**
   * What the path leads to: the file, its log and its index, by inode. Two processes exclude each
   * other only while all three are the same for both.
   */
  record Identity(List<Path> paths, List<Object> keys) {
    /** Never current. */
    static final Identity NONE = new Identity(List.of(), List.of("none"));

    static Identity of(List<Path> paths) {
      return new Identity(paths, keys(paths));
    }

    /** Whether the paths still lead there. */
    boolean isCurrent() {
      return keys.equals(keys(paths));
    }

    private static List<Object> keys(List<Path> paths) {
      return paths.stream().map(SqliteFile::key).toList();
    }
  }

  /** While it is open. */
  Identity identity() {
    try {
      // SQLite follows links for the names of the other two.
      String real = path.toRealPath().toString();
      return Identity.of(List.of(path, Path.of(real + "-wal"), Path.of(real + "-shm")));
    } catch (IOException e) {
      return Identity.NONE;
    }
  }

  /**
   * Whether the index that this process uses was deleted. All connections of a process to one file
   * share it, also one that was opened later; but not with other processes, and so no lock. Only
   * Linux tells.
   */
  boolean usesDeletedIndex() {
    try {
      byte[] real = path.toRealPath().toString().getBytes(StandardCharsets.UTF_8);
      String index = new String(real, StandardCharsets.ISO_8859_1) + "-shm";
      List<String> maps =
          Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
      return maps.stream().anyMatch(line -> line.endsWith(index + " (deleted)"))
          && maps.stream().noneMatch(line -> line.endsWith(index));
    } catch (IOException e) {
      return false;
    }
  }

  /** What the path itself leads to. */
  Object key() {
    return key(path);
  }

  private static Object key(Path file) {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key == null ? "a file system without keys" : key;
    } catch (IOException e) {
      return "missing";
    }
  }

  /** How many bytes it has with its log. */
  long size() throws IOException {
    Path log = Path.of(path.toRealPath() + "-wal");
    return Files.size(path) + (Files.exists(log) ? Files.size(log) : 0);
  }

  /** What users other than its owner may write: the file, or the directory that it lies in. */
  List<Path> openToOthers() throws IOException {
    List<Path> open = new ArrayList<>();
    Path real = path.toRealPath();
    for (Path each : List.of(real, real.resolveSibling("."))) {
      if (each.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(each);
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
          open.add(each.normalize());
        }
      }
    }
    return open;
  }

  /** Where it lies. */
  FileStore fileStore() throws IOException {
    return Files.getFileStore(path);
  }

  private StoreException refused(String why) {
    return new StoreException(Failure.REFUSED, message(why), null);
  }

  /** A message about this file. */
  String message(String what) {
    return "the lock file " + path + " " + what;
  }
}
