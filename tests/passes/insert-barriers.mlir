// RUN: tegula-opt %s
