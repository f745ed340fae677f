"""What the site is made of: pages and their checks, navigation, and the pages that are made from the code."""
