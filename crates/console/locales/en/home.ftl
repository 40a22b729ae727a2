home-title = Home
